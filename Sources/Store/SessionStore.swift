import CBOR
import CoordinatorKit
import Foundation
import GRDB

/// The host's open sessions in SQLite. One database queue for the life of the process.
package final class SessionStore: Sendable {
    /// "SBus", in the header of every database of ours: `PRAGMA application_id`.
    private static let applicationID = 0x5342_7573

    private let queue: DatabaseQueue
    private let path: String?

    /// Opens or makes the database.
    /// - Parameters:
    ///   - path: the file; `nil` for one in memory.
    ///   - maximumPages: bounds the file's size, as a full disk does; `nil` for no bound.
    /// - Throws: ``StoreError`` when the file is not ours, is of a newer version, or cannot be used.
    package init(path: String?, maximumPages: Int? = nil) throws {
        self.path = path
        var configuration = Configuration()
        configuration.busyMode = .timeout(2)
        guard let path else {
            queue = try DatabaseQueue(configuration: configuration)
            try Self.migrator.migrate(queue)
            return
        }
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            if let maximumPages { try database.execute(sql: "PRAGMA max_page_count = \(maximumPages)") }
        }
        queue = try StoreError.naming(path) {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try Self.check(queue, path: path)
            try Self.migrator.migrate(queue)
            return queue
        }
    }

    /// Refuses a database that somebody else made, before anything is written to it.
    private static func check(_ queue: DatabaseQueue, path: String) throws {
        let (id, tables, newer) = try queue.read { database in
            let id = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
            let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
            let newer = id == applicationID ? try migrator.hasBeenSuperseded(database) : false
            return (id, tables, newer)
        }
        // An empty file without a mark is anybody's, and so ours.
        if id != applicationID, id != 0 || tables > 0 {
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
        migrator.registerMigration("2 states in CBOR") { database in
            let old = try Row.fetchAll(database, sql: "SELECT id, state FROM session WHERE state IS NOT NULL")
            try database.execute(
                sql: "ALTER TABLE session DROP COLUMN state; ALTER TABLE session ADD COLUMN state BLOB")
            for row in old {
                let (id, json): (String, Data) = (row["id"], row["state"])
                do {
                    let state = try JSONDecoder().decode(UserActivity.self, from: json)
                    try database.execute(
                        sql: "UPDATE session SET state = ? WHERE id = ?",
                        arguments: [Data(try CBOREncoder().encode(state)), id])
                } catch let error where !(error is DatabaseError) {
                    throw SessionStateError(session: id, reason: "\(error)")
                }
            }
        }
        return migrator
    }

    /// All open sessions, in the order in which they were opened.
    package func sessions() async throws -> [SessionRecord] {
        try await StoreError.naming(path) {
            try await queue.read { try SessionRecord.order(Column("position")).fetchAll($0) }
        }
    }

    /// Keeps sessions as they are now. Returns when they are on the disk.
    package func save(_ sessions: [SessionRecord]) async throws {
        try await StoreError.naming(path) {
            try await queue.write { database in
                for session in sessions { try session.save(database) }
            }
        }
    }

    /// Forgets a session.
    package func delete(_ id: String) async throws {
        _ = try await StoreError.naming(path) {
            try await queue.write { try SessionRecord.deleteOne($0, key: id) }
        }
    }
}
