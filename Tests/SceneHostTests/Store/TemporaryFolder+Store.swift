import TestKit
import Foundation
import GRDB

extension TemporaryFolder {
    var store: String { path + "/sessions.sqlite" }

    /// Gives the database another journal mode, as an earlier version used it.
    func setJournal(_ mode: String) throws {
        let queue = try DatabaseQueue(path: store)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = \(mode)") }
        try queue.close()
    }

    /// Returns the first column of a query, as another program reads it.
    func values(_ sql: String) throws -> [String] {
        let queue = try DatabaseQueue(path: store)
        defer { try? queue.close() }
        return try queue.read { try String.fetchAll($0, sql: sql) }
    }

    /// Runs statements as another program would, and closes the database.
    func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
        var configuration = Configuration()
        // A host may have the store open.
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: store, configuration: configuration)
        defer { try? queue.close() }
        try queue.write { try $0.execute(sql: sql, arguments: arguments) }
    }
}
