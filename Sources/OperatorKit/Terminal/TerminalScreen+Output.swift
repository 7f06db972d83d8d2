extension TerminalScreen {
    /// Returns what a terminal must be sent to show this screen.
    /// - Parameter old: what it shows; `nil` if that is not known, so that all is drawn.
    package func output(after old: TerminalScreen?) -> String {
        if self == old { return "" }
        let known = old?.size == size ? old : nil
        // The terminal shows the change at once (mode 2026), and no caret that hurries over the screen meanwhile.
        var output = "\u{1B}[?2026h\u{1B}[?25l"
        if known == nil { output += "\u{1B}[0m\u{1B}[2J" }
        let before = known?.cells ?? Array(repeating: .blank, count: cells.count)
        for row in 0..<size.rows {
            let range = row * size.columns..<(row + 1) * size.columns
            if cells[range] != before[range] { draw(row, before, &output) }
        }
        output += "\u{1B}[0m"
        if let caret { output += Self.move(to: caret) + "\u{1B}[?25h" }
        return output + "\u{1B}[?2026l"
    }

    /// Draws the runs of changed cells in a row.
    ///
    /// Each run begins at a stated column, and so does what follows a character of which terminals may disagree how wide it
    /// is. So the rest of a row is where it belongs, whatever the terminal thinks.
    private func draw(_ row: Int, _ before: [Cell], _ output: inout String) {
        var style: TerminalStyle?
        var isPlaced = false
        for column in 0..<size.columns {
            let index = row * size.columns + column
            let cell = cells[index]
            // The right half is drawn with the left one.
            if cell.width == 0 { continue }
            let isChanged = cell != before[index] || cell.width == 2 && cells[index + 1] != before[index + 1]
            guard isChanged else {
                isPlaced = false
                continue
            }
            if !isPlaced { output += Self.move(to: Place(row: row, column: column)) }
            if style != cell.style { output += cell.style.sequence }
            style = cell.style
            output += cell.text
            isPlaced = cell.text.utf8.count == 1
        }
    }

    private static func move(to place: Place) -> String { "\u{1B}[\(place.row + 1);\(place.column + 1)H" }
}
