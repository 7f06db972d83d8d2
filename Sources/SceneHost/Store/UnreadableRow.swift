import GRDB

/// A database row that cannot be read, with a description for the operator.
package struct UnreadableRow: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Reads a column's value.
    /// - Throws: `UnreadableRow` for a value of another type. SQLite does not check types, and GRDB's subscript would
    ///   crash.
    static func value<Value: DatabaseValueConvertible>(of column: String, in row: Row, _ what: String) throws -> Value {
        let value: DatabaseValue = row[column]
        guard let result = Value.fromDatabaseValue(value) else {
            throw UnreadableRow("\(what) cannot be read: its \(column) is \(String("\(value)".prefix(64)))")
        }
        return result
    }

    /// Reads the records of rows, and sets aside those that cannot be read.
    static func setAside<Record>(_ rows: RowCursor, _ make: (Row) throws -> Record) throws
        -> (records: [Record], unreadable: [UnreadableRow])
    {
        var result: (records: [Record], unreadable: [UnreadableRow]) = ([], [])
        while let row = try rows.next() {
            do {
                result.records.append(try make(row))
            } catch let error as UnreadableRow {
                result.unreadable.append(error)
            }
        }
        return result
    }
}
