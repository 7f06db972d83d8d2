import CBOR
import Messaging
import Foundation
import GRDB

extension HostStore {
    /// The `PRAGMA application_id` of a SceneBus database: "SBus" in ASCII.
    static let applicationID = 0x5342_7573

    /// Checks, before anything is written, that a database is a SceneBus database or empty.
    /// - Returns: whether the database has the SceneBus application id; else it is empty.
    /// - Throws: ``StoreError`` for a database of another application or of a newer version.
    static func check(_ queue: DatabaseQueue, path: String) throws -> Bool {
        let (id, tables, newer) = try queue.read { database in
            let id = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
            let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
            let newer = id == applicationID ? try migrator.hasBeenSuperseded(database) : false
            return (id, tables, newer)
        }
        // An empty file without an application id may be used.
        if id != applicationID, id != 0 || tables > 0 {
            throw StoreError(
                path: path, "it is a SQLite database of another application; name another file with --store",
                kind: .unsuitable)
        }
        if newer {
            throw StoreError(
                path: path, "a newer SceneBus wrote it; start that version, or name another file with --store",
                kind: .unsuitable)
        }
        return id == applicationID
    }

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 sessions") { database in
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
                // Keep a state that cannot be read as it is; its session is set aside when the sessions are read.
                let state = try? CBOREncoder().encode(JSONDecoder().decode(UserActivity.self, from: json))
                try database.execute(
                    sql: "UPDATE session SET state = ? WHERE id = ?", arguments: [state.map { Data($0) } ?? json, id])
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
            // One row for the last host: whether it shut down in order, with no scene left running.
            try database.create(table: "host") { table in
                table.column("cleanEnd", .boolean).notNull()
            }
            try database.execute(sql: "INSERT INTO host VALUES (FALSE)")
        }
        migrator.registerMigration("4 epoch") { database in
            try database.execute(sql: "ALTER TABLE host ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("5 suspicions") { database in
            try database.execute(sql: "ALTER TABLE session ADD COLUMN suspicion TEXT")
        }
        migrator.registerMigration("6 changes") { database in
            try database.execute(sql: "ALTER TABLE host ADD COLUMN changes INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("7 audit") { database in try AuditRecord.create(in: database) }
        migrator.registerMigration("8 holders") { database in
            try database.execute(sql: "ALTER TABLE session ADD COLUMN holder TEXT")
        }
        migrator.registerMigration("9 users in the audit") { database in try AuditRecord.addUser(in: database) }
        return migrator
    }
}
