package import CBOR

/// Plain columns for people; the same to a terminal and to a pipe. What in a cell would act on the terminal is taken out.
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
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                if column < row.count - 1 {
                    line += String(repeating: " ", count: widths[column] - cell.count + 2)
                }
            }
            Swift.print(line)
        }
    }
}

/// Prints a value as one line of JSON.
package func printJSON(_ value: some Encodable) throws {
    printJSON(try CBORValue(encoding: value))
}

/// Prints a value as one line of JSON. What in a text would act on the terminal is written as an escape.
package func printJSON(_ value: CBORValue) {
    print(value.json.printableJSON)
}
