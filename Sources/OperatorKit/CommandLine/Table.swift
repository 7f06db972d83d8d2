import PeerLink

/// A table in plain columns. Control characters in cells are replaced.
///
/// In a pipe and in a file its cells are whole. On a terminal, one column is shortened if the table is too wide.
package struct Table: Sendable {
    /// The maximum length of a cell, in Unicode scalars. A cell may contain what a peer says.
    private static let maximumCell = 1000
    /// The least width of the column that is shortened.
    private static let leastFlexible = 6

    struct Row {
        var cells: [String]
        /// A line below the row.
        var note: String?
        /// What differs when the row has changed. A row may also show how old something is, which is no change.
        var compared: [String]
    }

    private var rows: [Row]
    private let flexible: Int?
    /// The column whose cell tells which row of a later table is the same one.
    private let identity: Int
    /// Whether rows are only ever added, at the end.
    let isLog: Bool

    /// - Parameters:
    ///   - flexible: the header of the column that is shortened on a terminal; `nil` for none.
    ///   - identity: the header of the column that names what a row is about; `nil` for the first one.
    ///   - isLog: whether each row is something that has happened, the newest last.
    package init(_ header: String..., flexible: String? = nil, identity: String? = nil, isLog: Bool = false) {
        self.init(header, flexible: flexible, identity: identity, isLog: isLog)
    }

    package init(_ header: [String], flexible: String? = nil, identity: String? = nil, isLog: Bool = false) {
        rows = [Row(cells: header, compared: [])]
        self.flexible = flexible.flatMap { header.firstIndex(of: $0) }
        self.identity = identity.flatMap { header.firstIndex(of: $0) } ?? 0
        self.isLog = isLog
    }

    /// - Parameters:
    ///   - note: a text for a line of its own below the row, such as the reason of a problem.
    ///   - compared: what differs when the row has changed; `nil` for its cells and its note.
    package mutating func add(_ row: String..., note: String? = nil, comparing compared: [String]? = nil) {
        add(row, note: note, comparing: compared)
    }
    package mutating func add(_ row: [String], note: String? = nil, comparing compared: [String]? = nil) {
        let (cells, note) = (row.map(Self.cell), note.map(Self.cell))
        rows.append(Row(cells: cells, note: note, compared: compared ?? cells + [note ?? ""]))
    }

    /// The header's cells.
    var header: [String] { rows[0].cells }

    /// The rows without the header.
    var entries: ArraySlice<Row> { rows.dropFirst() }

    /// What a row is about. The same text in a later table means the same row.
    func name(of row: Row) -> String { isLog ? row.compared.joined(separator: "\t") : row.cells[identity] }

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
        var widths = self.widths
        let columns = widths.count
        if let width, let flexible {
            let surplus = widths.reduce(2 * (columns - 1), +) - width
            if surplus > 0 {
                widths[flexible] = min(widths[flexible], max(Self.leastFlexible, widths[flexible] - surplus))
            }
        }
        return rows.flatMap { row in
            var cells = row.cells
            if let flexible { cells[flexible] = cells[flexible].cut(to: widths[flexible]) }
            return [Self.line(of: cells, widths)] + (row.note.map { ["  " + $0] } ?? [])
        }
    }

    /// The columns' widths, each that of its widest cell.
    var widths: [Int] {
        (0..<header.count).map { column in rows.map { $0.cells[column].displayWidth }.max() ?? 0 }
    }

    /// A line of cells that begin at the columns. The last cell is not padded.
    static func line(of cells: [String], _ widths: [Int]) -> String {
        cells.enumerated().map { column, cell in
            column < cells.count - 1 ? cell.padded(to: widths[column] + 2) : cell
        }.joined()
    }
}
