import CoordinatorKit
import SceneContent
import Testing

/// How the parts of a screen say what their blocks are.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct PartTests {
    private let blocks: [ContentBlock]

    init() {
        let window = Window()
        window.rootViewController = SignScreen()
        window.makeKeyAndVisible()
        blocks = window.layers.top?.blocks.map(\.block) ?? []
    }

    @Test("A text can be a headline, with or without a level")
    func headlines() {
        #expect(
            blocks.prefix(2) == [
                .text(TextBlock("Free", level: .good, size: .large)), .text(TextBlock("Room 4", size: .large)),
            ])
    }

    @Test("A secret can be required, and has no value")
    func requiredSecret() {
        let fields = blocks.compactMap { block in if case .field(let field) = block { field } else { nil } }
        #expect(fields.map(\.isRequired) == [true, false])
        #expect(fields.allSatisfy { $0.kind == .secret && $0.value.isEmpty })
    }
}

private final class SignScreen: ViewController {
    override var screen: Screen? {
        Screen("Sign") {
            Text("Free", level: .good, size: .large)
            Text("Room 4", size: .large)
            SecretField("Code", isRequired: true)
            SecretField("PIN")
        }
    }
}
