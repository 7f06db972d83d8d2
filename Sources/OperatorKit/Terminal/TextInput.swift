import Messaging
import SceneContent

/// A text that is being typed, with a caret.
package struct TextInput: Hashable, Sendable {
    /// What is before the caret.
    package private(set) var before: String
    /// What is after the caret.
    package private(set) var after: String

    /// Makes a text with the caret at its end.
    package init(_ text: String) { (before, after) = (text, "") }

    package var text: String { before + after }

    /// Types a text at the caret, if there is room for it. What would act on a terminal is left out.
    /// - Parameter hasLines: whether it may have line feeds. Otherwise they become spaces.
    /// - Returns: whether there was room.
    @discardableResult
    package mutating func insert(_ text: String, hasLines: Bool = false) -> Bool {
        let lines = text.plainLines.map { line in
            String(String.UnicodeScalarView(line.unicodeScalars.filter { $0 != "\u{FFFD}" }))
        }
        let clean = lines.joined(separator: hasLines ? "\n" : " ")
        guard before.utf8.count + after.utf8.count + clean.utf8.count <= ContentBounds.text else { return false }
        before += clean
        return true
    }

    package mutating func moveLeft() {
        if let character = before.popLast() { after = String(character) + after }
    }

    package mutating func moveRight() {
        if !after.isEmpty { before.append(after.removeFirst()) }
    }

    package mutating func moveToStart() { (before, after) = ("", text) }
    package mutating func moveToEnd() { (before, after) = (text, "") }
    package mutating func deleteBefore() { _ = before.popLast() }
    package mutating func deleteAfter() { if !after.isEmpty { after.removeFirst() } }
    /// Deletes all that is before the caret.
    package mutating func deleteToStart() { before = "" }

    /// Deletes the word before the caret.
    package mutating func deleteWord() {
        while before.last == " " { before.removeLast() }
        while let last = before.last, last != " " { before.removeLast() }
    }
}
