import Bus
import Foundation
import GRDB

/// The rows of the table of audit entries.
enum AuditRecord {
    static let databaseTableName = "audit"

    /// How long an entry is kept, in seconds.
    static let retention = 90.0 * 86_400
    /// How many entries are kept at most.
    static let maximumCount = 100_000
    /// How many stay when there are more: fewer, because it takes some tenths of a second to choose those that go.
    static let trimmedCount = 95_000
    /// After how many entries the oldest ones are looked for.
    private static let trimming: Int64 = 500

    static func create(in database: Database) throws {
        try database.create(table: databaseTableName) { table in
            table.autoIncrementedPrimaryKey("number")
            table.column("time", .double).notNull()
            table.column("peer", .text).notNull()
            table.column("key", .text)
            table.column("role", .text).notNull()
            table.column("action", .text).notNull()
            table.column("object", .text).notNull()
            table.column("outcome", .text).notNull()
        }
    }

    /// Adds the column for the users of a peer, which earlier versions did not know.
    static func addUser(in database: Database) throws {
        try database.alter(table: databaseTableName) { $0.add(column: "user", .text) }
    }

    /// Adds an entry, and from time to time removes those that are too old or too many.
    static func add(_ entry: AuditEntry, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO audit (time, peer, key, user, role, action, object, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [
                entry.time, entry.peer, entry.key, entry.user, entry.role, entry.action, entry.object, entry.outcome,
            ])
        let number = database.lastInsertedRowID
        guard number % trimming == 0 else { return }
        try database.cachedStatement(sql: "DELETE FROM audit WHERE time < ?")
            .execute(arguments: [entry.time - retention])
        let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM audit") ?? 0
        guard count > maximumCount else { return }
        // The oldest of the user who has most of the key that has most: who does much pushes out the own entries, and nobody
        // else's. For that, the entries of the key take turns by its users, the newest first, and those with the last turns
        // go. Without a key, programs are told apart by their names; those of operators are new each time.
        try database.cachedStatement(
            sql: """
                WITH most AS (
                    SELECT key, CASE WHEN key IS NULL AND role <> 'operator' THEN peer END AS program FROM audit
                    GROUP BY 1, 2 ORDER BY count(*) DESC LIMIT 1)
                DELETE FROM audit WHERE number IN (
                    SELECT number FROM (
                        SELECT number, row_number() OVER (PARTITION BY user ORDER BY number DESC) AS turn
                        FROM audit, most
                        WHERE audit.key IS most.key
                            AND CASE WHEN audit.key IS NULL AND role <> 'operator' THEN peer END IS most.program)
                    ORDER BY turn DESC, number LIMIT ?)
                """
        ).execute(arguments: [count - trimmedCount])
    }

    /// Reads entries, the oldest first.
    /// - Parameters:
    ///   - time: the earliest time, in seconds since 1970.
    ///   - number: the entry after which the first one comes.
    static func fetch(since time: Double, after number: Int64, limit: Int, in database: Database) throws -> [AuditEntry]
    {
        let rows = try Row.fetchCursor(
            database, sql: "SELECT * FROM audit WHERE number > ? AND time >= ? ORDER BY number LIMIT ?",
            arguments: [number, time, limit])
        var entries: [AuditEntry] = []
        while let row = try rows.next() {
            func text(_ name: String) -> String { String.fromDatabaseValue(row[name]) ?? "" }
            entries.append(
                AuditEntry(
                    number: row["number"], time: Double.fromDatabaseValue(row["time"]) ?? 0, peer: text("peer"),
                    key: String.fromDatabaseValue(row["key"]), user: String.fromDatabaseValue(row["user"]),
                    role: text("role"), action: text("action"), object: text("object"), outcome: text("outcome")))
        }
        return entries
    }
}
