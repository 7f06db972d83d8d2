import Foundation
import GRDB

/// The host's open sessions in SQLite. One database queue for the life of the process.
package final class SessionStore: Sendable {
    /// "SBus", in the header of every database of ours: `PRAGMA application_id`.
    private static let applicationID = 0x5342_7573

    private let queue: DatabaseQueue

    /// Opens or makes the database.
    /// - Parameter path: the file; `nil` for one in memory.
    /// - Throws: ``StoreError`` when the file is not ours, is of a newer version, or cannot be used.
    package init(path: String?) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(2)
        guard let path else {
            queue = try DatabaseQueue(configuration: configuration)
            try Self.migrator.migrate(queue)
            return
        }
        let isNew = !FileManager.default.fileExists(atPath: path)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
        }
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
            try Self.check(queue, path: path, isNew: isNew)
            try Self.migrator.migrate(queue)
        } catch let error as DatabaseError {
            throw StoreError(path: path, error)
        }
    }

    /// Refuses a database that somebody else made, before anything is written to it.
    private static func check(_ queue: DatabaseQueue, path: String, isNew: Bool) throws {
        let (id, tables, newer) = try queue.read { database in
            let id = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
            let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
            let newer = id == applicationID ? try migrator.hasBeenSuperseded(database) : false
            return (id, tables, newer)
        }
        if id != applicationID, tables > 0 {
            throw StoreError(
                path: path, "it is a SQLite database of another application; name another file with --store")
        }
        if newer {
            throw StoreError(
                path: path, "a newer SceneBus wrote it; start that version, or name another file with --store")
        }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 sessions") { database in
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.create(table: SessionRecord.databaseTableName) { table in
                table.primaryKey("id", .text)
                table.column("role", .text).notNull()
                table.column("configuration", .text).notNull()
                table.column("position", .integer).notNull()
                table.column("state", .jsonText)
            }
        }
        return migrator
    }

    /// All open sessions, in the order in which they were opened.
    package func sessions() async throws -> [SessionRecord] {
        try await queue.read { try SessionRecord.order(Column("position")).fetchAll($0) }
    }

    /// Keeps sessions as they are now. Returns when they are on the disk.
    package func save(_ sessions: [SessionRecord]) async throws {
        try await queue.write { database in
            for session in sessions { try session.save(database) }
        }
    }

    /// Forgets a session.
    package func delete(_ id: String) async throws {
        _ = try await queue.write { try SessionRecord.deleteOne($0, key: id) }
    }
}

/// A database that cannot be used, and the way out.
package struct StoreError: Error, CustomStringConvertible {
    package let path: String
    package let reason: String

    init(path: String, _ reason: String) {
        self.path = path
        self.reason = reason
    }

    init(path: String, _ error: DatabaseError) {
        self.path = path
        switch error.resultCode {
        case .SQLITE_NOTADB:
            reason = "it is not a SQLite database; name another file with --store"
        case .SQLITE_CANTOPEN:
            reason = "it cannot be opened: check that its folder exists and may be written to"
        case .SQLITE_FULL:
            reason = "the disk is full"
        case .SQLITE_READONLY:
            reason = "it may not be written to: check its owner and mode"
        default:
            reason = error.description
        }
    }

    package var description: String { "cannot use the session store \(path): \(reason)" }
}
