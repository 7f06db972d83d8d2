import PeerLink

/// A table in plain columns. Control characters in cells are replaced.
///
/// In a pipe and in a file its cells are whole. On a terminal, one column is shortened if the table is too wide.
package struct Table {
    /// The maximum length of a cell, in Unicode scalars. A cell may contain what a peer says.
    private static let maximumCell = 1000
    /// The least width of the column that is shortened.
    private static let leastFlexible = 6

    private struct Row {
        var cells: [String]
        /// A line below the row.
        var note: String?
    }

    private var rows: [Row]
    private let flexible: Int?

    /// - Parameter flexible: the header of the column that is shortened on a terminal; `nil` for none.
    package init(_ header: String..., flexible: String? = nil) {
        self.init(header, flexible: flexible)
    }

    package init(_ header: [String], flexible: String? = nil) {
        rows = [Row(cells: header)]
        self.flexible = flexible.flatMap { header.firstIndex(of: $0) }
    }

    /// - Parameter note: a text for a line of its own below the row, such as the reason of a problem.
    package mutating func add(_ row: String..., note: String? = nil) { add(row, note: note) }
    package mutating func add(_ row: [String], note: String? = nil) {
        rows.append(Row(cells: row.map(Self.cell), note: note.map(Self.cell)))
    }

    private static func cell(_ text: String) -> String {
        let part = text.unicodeScalars.prefix(maximumCell)
        return (part.endIndex < text.unicodeScalars.endIndex ? String(part) + "…" : text).printable
    }

    package var isEmpty: Bool { rows.count == 1 }

    package func print() {
        for line in lines(width: OutputTerminal.width) { StandardOutput.write(line) }
    }

    /// The table's lines, the header first, at any width.
    package var lines: [String] { lines(width: nil) }

    /// The table's lines, the header first.
    /// - Parameter width: the columns of the terminal; `nil` for any number.
    package func lines(width: Int?) -> [String] {
        let columns = rows.map(\.cells.count).max() ?? 0
        var widths = (0..<columns).map { column in rows.map { $0.cells[column].displayWidth }.max() ?? 0 }
        if let width, let flexible {
            let surplus = widths.reduce(2 * (columns - 1), +) - width
            if surplus > 0 {
                widths[flexible] = min(widths[flexible], max(Self.leastFlexible, widths[flexible] - surplus))
            }
        }
        return rows.flatMap { row in
            let line = row.cells.enumerated().map { column, cell in
                let shown = column == flexible ? cell.cut(to: widths[column]) : cell
                return column < row.cells.count - 1 ? shown.padded(to: widths[column] + 2) : shown
            }.joined()
            return [line] + (row.note.map { ["  " + $0] } ?? [])
        }
    }
}
