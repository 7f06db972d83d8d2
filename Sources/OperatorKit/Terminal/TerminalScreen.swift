import Messaging

/// What a terminal shows, as a grid of cells.
package struct TerminalScreen: Hashable, Sendable {
    /// A size in columns and rows.
    package struct Size: Hashable, Sendable {
        package let columns: Int
        package let rows: Int

        /// Makes a size. What is beyond the largest terminals, or less than a cell, is brought within.
        package init(columns: Int, rows: Int) {
            self.columns = max(1, min(columns, 1000))
            self.rows = max(1, min(rows, 500))
        }
    }

    /// A place, counted from 0.
    package struct Place: Hashable, Sendable {
        package var row: Int
        package var column: Int

        package init(row: Int, column: Int) { (self.row, self.column) = (row, column) }
    }

    struct Cell: Hashable {
        static let blank = Cell(text: " ", style: .plain, width: 1)

        /// A character. It is empty in the right half of one that takes two columns.
        var text: String
        var style: TerminalStyle
        /// The character's columns; 0 in the right half of one that takes two.
        var width: Int
    }

    package let size: Size
    /// Where the caret is; `nil` if it is hidden.
    package var caret: Place?
    private(set) var cells: [Cell]

    /// The most bytes of a character. A character may have any number of parts, which would fill a cell without end.
    private static let maximumCharacter = 64

    /// Makes an empty screen.
    package init(_ size: Size) {
        self.size = size
        cells = Array(repeating: .blank, count: size.columns * size.rows)
    }

    /// Writes a text from a place on, as far as the row has room. What would act on a terminal is replaced.
    /// - Returns: the column after the text.
    @discardableResult
    package mutating func put(_ text: String, at place: Place, _ style: TerminalStyle = .plain) -> Int {
        guard (0..<size.rows).contains(place.row) else { return place.column }
        var column = max(0, place.column)
        for character in text.printable {
            let isShown = character.utf8.count <= Self.maximumCharacter
            let (shown, width) = isShown ? (String(character), character.displayWidth) : ("\u{FFFD}", 1)
            guard column + width <= size.columns else { break }
            guard width > 0 else {
                append(shown, before: Place(row: place.row, column: column))
                continue
            }
            set(Cell(text: shown, style: style, width: width), place.row, column)
            if width == 2 { set(Cell(text: "", style: style, width: 0), place.row, column + 1) }
            column += width
        }
        return column
    }

    /// Gives a row another look without changing its text.
    package mutating func restyle(row: Int, _ change: (inout TerminalStyle) -> Void) {
        guard (0..<size.rows).contains(row) else { return }
        for index in row * size.columns..<(row + 1) * size.columns { change(&cells[index].style) }
    }

    /// The text of a row, without the spaces at its end.
    package func text(row: Int) -> String {
        let text = cells[row * size.columns..<(row + 1) * size.columns].map(\.text).joined()
        return text.lastIndex { $0 != " " }.map { String(text[...$0]) } ?? ""
    }

    /// The style of a cell.
    package func style(at place: Place) -> TerminalStyle { cells[place.row * size.columns + place.column].style }

    private mutating func set(_ cell: Cell, _ row: Int, _ column: Int) {
        let index = row * size.columns + column
        // Half of a wide character cannot be shown.
        if cells[index].width == 2, column + 1 < size.columns { cells[index + 1] = .blank }
        if cells[index].width == 0, cell.width != 0, column > 0 { cells[index - 1] = .blank }
        cells[index] = cell
    }

    /// Adds what takes no column of its own, such as a mark without a letter, to the character before it.
    private mutating func append(_ text: String, before place: Place) {
        guard place.column > 0 else { return }
        var index = place.row * size.columns + place.column - 1
        if cells[index].width == 0, place.column > 1 { index -= 1 }
        guard cells[index].text.utf8.count + text.utf8.count <= Self.maximumCharacter else { return }
        cells[index].text += text
    }
}
