import CBOR
package import CoordinatorKit
import Foundation
import GRDB

/// What the host keeps in SQLite: its open sessions, and a record of the requests that must not be handled twice. One database
/// queue for the life of the process.
package final class HostStore: Sendable {
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
        migrator.registerMigration("3 tokens and requests") { database in
            try database.execute(sql: "ALTER TABLE session ADD COLUMN token INTEGER NOT NULL DEFAULT 0")
            try database.create(table: RequestRecord.databaseTableName, options: [.withoutRowID]) { table in
                table.column("peer", .text).notNull()
                table.column("id", .blob).notNull()
                table.column("message", .text).notNull()
                table.column("time", .integer).notNull().indexed()
                table.column("reply", .blob)
                table.primaryKey(["peer", "id"])
            }
            // One row, of the last host: whether it ended in order, with no scene left running.
            try database.create(table: "host") { table in
                table.column("cleanEnd", .boolean).notNull()
            }
            try database.execute(sql: "INSERT INTO host VALUES (FALSE)")
        }
        migrator.registerMigration("4 epoch") { database in
            try database.execute(sql: "ALTER TABLE host ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0")
        }
        return migrator
    }

    /// All open sessions, in the order in which they were opened.
    package func sessions() async throws -> [SessionRecord] {
        try await StoreError.naming(path) {
            try await queue.read { try SessionRecord.order(Column("position")).fetchAll($0) }
        }
    }

    /// What is known of the last host.
    /// - Returns: `epoch` of its life, and whether it ended in order, with no scene left running anywhere.
    package func lastLife() async throws -> (epoch: UInt64, endedCleanly: Bool) {
        try await StoreError.naming(path) {
            try await queue.read { database in
                let row = try Row.fetchOne(database, sql: "SELECT epoch, cleanEnd FROM host")
                let epoch: Int64 = row?["epoch"] ?? 0
                return (UInt64(clamping: epoch), row?["cleanEnd"] ?? false)
            }
        }
    }

    /// The records of all requests, the oldest first, without their replies.
    package func requests() async throws -> [(record: RequestRecord, hasReply: Bool)] {
        try await StoreError.naming(path) {
            try await queue.read { database in
                try Row.fetchAll(
                    database,
                    sql: "SELECT peer, id, message, time, reply IS NOT NULL AS hasReply FROM request ORDER BY time"
                ).map { (RequestRecord(row: $0), $0["hasReply"]) }
            }
        }
    }

    /// The reply that was kept of a request.
    /// - Returns: the encoded frame; `nil` when there is none.
    package func reply(to id: MessageID, from peer: String) async throws -> [UInt8]? {
        try await StoreError.naming(path) {
            try await queue.read { database in
                try Data.fetchOne(
                    database, sql: "SELECT reply FROM request WHERE peer = ? AND id = ?",
                    arguments: [peer, RequestRecord.data(of: id)]
                ).map { Array($0) }
            }
        }
    }

    /// Does all of it, or nothing, in one transaction. Returns when it is on the disk.
    package func write(_ operations: [StoreOperation]) async throws {
        try await StoreError.naming(path) {
            try await queue.write { database in
                for operation in operations { try operation.perform(in: database) }
            }
        }
    }
}
