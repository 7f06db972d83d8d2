import Messaging
import SceneContent

/// The lines of a field on a screen, and where its caret is.
struct DrawnField {
    var lines: [TextLine]
    /// The caret's line among the lines, and its column; `nil` for none.
    var caret: TerminalScreen.Place?
}

extension FieldBlock {
    /// Draws the field with what has been typed.
    func drawn(_ input: TextInput, hasFocus: Bool, key: String, width: Int) -> DrawnField {
        let part = TextLine.Part.block(key)
        let label = "\(label.printable)\(isRequired ? " *" : ""): ".cut(to: max(3, width / 2))
        var drawn: DrawnField
        switch kind {
        case .toggle:
            drawn = DrawnField(
                lines: TextLine.lines(
                    "\(label)\(isOn(input.text) ? "[x]" : "[ ]")", width: width, indent: 2, part: part))
        case .choice:
            drawn = DrawnField(
                lines: TextLine.lines("\(label)< \(shown(input.text)) >", width: width, indent: 2, part: part))
        case .text, .lines, .secret, .number, .date, .time:
            var flow = TextFlow(label, width: width)
            flow.add(shownWhileTyped(input.before))
            let caret = flow.place
            flow.add(shownWhileTyped(input.after))
            if input.text.isEmpty, !hasFocus { flow.add("____") }
            drawn = DrawnField(lines: flow.lines.map { TextLine($0, part: part) })
            // After the last column of a line, the caret is on the next one.
            if flow.lines.count == caret.row { drawn.lines.append(TextLine("", part: part)) }
            if hasFocus { drawn.caret = caret }
        }
        drawn.lines += notes(TextForm(width: width), key: key)
        return drawn
    }

    private func shownWhileTyped(_ text: String) -> String {
        kind == .secret ? String(repeating: "•", count: text.count) : text
    }
}

/// Breaks a text into lines wherever the width ends, so that the place of each character is known.
private struct TextFlow {
    private static let indent = 2

    private let width: Int
    private(set) var lines: [String]
    private var columns: Int

    init(_ text: String, width: Int) {
        self.width = width
        lines = [text]
        columns = text.displayWidth
    }

    /// Where the next character will be.
    var place: TerminalScreen.Place {
        columns < width
            ? TerminalScreen.Place(row: lines.count - 1, column: columns)
            : TerminalScreen.Place(row: lines.count, column: Self.indent)
    }

    mutating func add(_ text: String) {
        for (index, line) in text.plainLines.enumerated() {
            if index > 0 { breakLine() }
            for character in line {
                if columns + character.displayWidth > width { breakLine() }
                lines[lines.count - 1].append(character)
                columns += character.displayWidth
            }
        }
    }

    private mutating func breakLine() {
        lines.append(String(repeating: " ", count: Self.indent))
        columns = Self.indent
    }
}
