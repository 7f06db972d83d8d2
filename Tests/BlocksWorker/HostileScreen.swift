import CoordinatorKit
import HostileTexts

/// Hostile texts in every block.
final class HostileScreen: ViewController {
    override var screen: Screen? {
        Screen(HostileTexts.title) {
            for text in HostileTexts.all { HostilePart(text: text) }
            Action("Ask", confirm: HostileTexts.title) {}
            Action("Refuse") { throw HostileRefusal() }
        }
    }
}

private struct HostileRefusal: Error, CustomStringConvertible {
    var description: String { HostileTexts.title }
}

/// Every block with one text.
private struct HostilePart: ScreenPart {
    let text: String

    func add(to parts: inout ScreenParts) {
        for block in HostileTexts.blocks(with: text) { parts.add(block) }
        parts.add(BlocksScreen.photo, alternative: text)
        for field in HostileTexts.fields(with: text) { parts.add(field) }
        for action in HostileTexts.actions(with: text) { parts.add(action) { _ in } }
    }
}
