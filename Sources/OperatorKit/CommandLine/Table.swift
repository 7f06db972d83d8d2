/// A table in plain columns, formatted alike for a terminal and a pipe. Control characters in cells are replaced.
package struct Table {
    private var rows: [[String]]

    package init(_ header: String...) {
        self.init(header)
    }

    package init(_ header: [String]) {
        rows = [header]
    }

    package mutating func add(_ row: String...) { add(row) }
    package mutating func add(_ row: [String]) { rows.append(row.map(\.printable)) }

    package var isEmpty: Bool { rows.count == 1 }

    package func print() {
        for line in lines { Swift.print(line) }
    }

    /// The table's lines, the header first.
    package var lines: [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, cell in
                column < row.count - 1
                    ? cell + String(repeating: " ", count: widths[column] - cell.count + 2) : cell
            }.joined()
        }
    }
}
