import Messaging

/// A terminal's screen, which understands as much of a terminal's language as scenes on a whole terminal speak.
package struct DrawnTerminal {
    private let columns: Int
    private var cells: [[String]]
    private var row = 0
    private var column = 0

    package init(columns: Int, rows: Int) {
        self.columns = columns
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    /// Draws an output. A sequence at its end that is not complete is left out.
    package mutating func draw(_ output: String) {
        var rest = output.unicodeScalars[...]
        while let first = rest.first {
            guard first != "\u{1B}" else {
                drawSequence(&rest)
                continue
            }
            let text = rest.prefix { $0 != "\u{1B}" }
            for character in String(text) { put(character) }
            rest = rest[text.endIndex...]
        }
    }

    private mutating func drawSequence(_ rest: inout String.UnicodeScalarView.SubSequence) {
        let parameters = rest.dropFirst(2).prefix { !$0.properties.isAlphabetic }
        rest = rest[parameters.endIndex...]
        switch rest.popFirst() {
        case "H":
            let place = String(parameters).split(separator: ";").compactMap { Int($0) }
            if place.count == 2 { (row, column) = (place[0] - 1, place[1] - 1) }
        case "J": cells = cells.map { $0.map { _ in " " } }
        default: break
        }
    }

    private mutating func put(_ character: Character) {
        let width = character.displayWidth
        guard cells.indices.contains(row), column + width <= columns, !character.isNewline else { return }
        if cells[row][column] == "" { cells[row][column - 1] = " " }
        if column + width < columns, cells[row][column + width] == "" { cells[row][column + width] = " " }
        cells[row][column] = String(character)
        if width == 2 { cells[row][column + 1] = "" }
        column += width
    }

    /// The text of a row, without the spaces at its end.
    package func text(row: Int) -> String {
        let text = cells[row].joined()
        return text.lastIndex { $0 != " " }.map { String(text[...$0]) } ?? ""
    }

    /// The texts of all rows.
    package var rows: [String] { cells.indices.map { text(row: $0) } }
}
