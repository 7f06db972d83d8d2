import GRDB

/// A row of the database that makes no sense, and what the operator can do about it.
package struct UnreadableRow: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }

    /// A column's value.
    /// - Throws: `UnreadableRow` where the database has another kind of value there: SQLite does not check it, and GRDB's
    ///   subscript would end the process.
    static func value<Value: DatabaseValueConvertible>(of column: String, in row: Row, _ what: String) throws -> Value {
        let value: DatabaseValue = row[column]
        guard let result = Value.fromDatabaseValue(value) else {
            throw UnreadableRow("\(what) cannot be read: its \(column) is \(String("\(value)".prefix(64)))")
        }
        return result
    }
}
