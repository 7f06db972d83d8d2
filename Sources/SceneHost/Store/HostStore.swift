package import Messaging
import Foundation
import GRDB
import Synchronization

/// What the host keeps in SQLite: its open sessions, and a record of the requests that must not be handled twice. One database
/// queue for the life of the process.
///
/// A write that has returned survives a power cut. The database has a write-ahead log, each commit of which is synced, and so
/// is the folder when the log is made: a rollback journal, whose removal is the commit, would come back with a folder that was
/// not synced, and undo the last one. Others may read the database meanwhile without holding up the host.
///
/// A host that begins its life marks the database with its epoch. Whoever has read an older one cannot write any more.
package final class HostStore: Sendable {
    private let queue: DatabaseQueue
    private let path: String?
    /// The epoch that the database has as far as this store knows: its own, or that of the host before.
    private let epoch: Mutex<UInt64>
    private let unreadableRows = Mutex<[UnreadableRow]>([])

    /// Opens or makes the database.
    /// - Parameters:
    ///   - path: the file; `nil` for one in memory.
    ///   - maximumPages: bounds the file's size, as a full disk does; `nil` for no bound.
    ///   - busyTimeout: how long a write waits for another process that has the database locked.
    /// - Throws: ``StoreError`` when the file is not ours, is of a newer version, or cannot be used.
    package init(path: String?, maximumPages: Int? = nil, busyTimeout: Duration = .seconds(2)) throws {
        self.path = path
        var configuration = Configuration()
        configuration.busyMode = .timeout(busyTimeout / .seconds(1))
        guard let path else {
            queue = try DatabaseQueue(configuration: configuration)
            try Self.migrator.migrate(queue)
            epoch = Mutex(0)
            return
        }
        configuration.prepareDatabase { database in
            // With a write-ahead log this is FULL; what is written before there is one syncs the folder, too.
            try database.execute(sql: "PRAGMA synchronous = EXTRA")
            // What a slow reader has made it grow to is given back.
            try database.execute(sql: "PRAGMA journal_size_limit = \(4 << 20)")
            if let maximumPages { try database.execute(sql: "PRAGMA max_page_count = \(maximumPages)") }
        }
        StoreFile.makeIfMissing(path)
        let (queue, epoch) = try StoreError.naming(path) {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let isMarked = try Self.check(queue, path: path)
            try StoreFile.restrict(path)
            try queue.writeWithoutTransaction { database in
                try Self.startLog(in: database, path: path)
                // Before there is a table: one that is cut short must not look like another application's.
                if !isMarked { try database.execute(sql: "PRAGMA application_id = \(Self.applicationID)") }
            }
            try Self.migrator.migrate(queue)
            // A reader may be in the way: the log is brought in later then.
            _ = try? queue.writeWithoutTransaction { try $0.checkpoint(.passive) }
            StoreFile.syncFolder(of: path)
            return (queue, try queue.read { try Self.epoch(in: $0, path: path) })
        }
        self.queue = queue
        self.epoch = Mutex(epoch)
    }

    private static func startLog(in database: Database, path: String) throws {
        // GRDB's own way to it would set `synchronous` to NORMAL.
        guard try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL") == "wal" else {
            throw StoreError(
                path: path,
                "its file system lets no processes share memory, which the log of its writes needs; name a file on another "
                    + "with --store")
        }
    }

    /// Closes the database: what is in the log goes to its file.
    package func close() throws {
        try StoreError.naming(path) { try queue.close() }
    }

    // MARK: - Reading

    /// All open sessions that can be read, in the order in which they were opened. The others are left as they are: see
    /// ``unreadable``.
    package func sessions() async throws -> [SessionRecord] {
        try await StoreError.naming(path) {
            let (records, unreadable) = try await queue.read { database in
                try Self.readable(
                    try Row.fetchCursor(database, sql: "SELECT * FROM session ORDER BY position, rowid"),
                    SessionRecord.init(row:))
            }
            add(unreadable)
            return records
        }
    }

    /// The records of all requests, the oldest first, without their replies. Those that nobody can ask for, for their keys
    /// cannot be read, are left out: see ``unreadable``.
    package func requests() async throws -> [StoredRequest] {
        try await StoreError.naming(path) {
            let (records, unreadable) = try await queue.read { database in
                try Self.readable(
                    try Row.fetchCursor(
                        database,
                        sql: "SELECT peer, id, message, time, length(reply) AS size FROM request ORDER BY time"),
                    StoredRequest.init(row:))
            }
            add(unreadable)
            return records
        }
    }

    /// What was read from the database and makes no sense. It stays where it is, for a version that can read it.
    package var unreadable: [UnreadableRow] { unreadableRows.withLock { $0 } }

    private static func readable<Record>(_ rows: RowCursor, _ make: (Row) throws -> Record) throws
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

    private func add(_ rows: [UnreadableRow]) {
        unreadableRows.withLock { known in known += rows.filter { !known.contains($0) } }
    }

    /// What is known of the last host.
    /// - Returns: `epoch` of its life, and whether it ended in order, with no scene left running anywhere.
    package func lastLife() async throws -> (epoch: UInt64, endedCleanly: Bool) {
        try await StoreError.naming(path) {
            try await queue.read { [path] database in
                let isClean = try Bool.fetchOne(database, sql: "SELECT MIN(cleanEnd IS TRUE) FROM host")
                return (try Self.epoch(in: database, path: path), isClean ?? false)
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

    // MARK: - Writing

    /// Does all of it, or nothing, in one transaction. Returns when it is on the disk.
    /// - Throws: ``StoreError``; ``StoreError/Kind/superseded`` when another host has begun its life since.
    package func write(_ operations: [StoreOperation]) async throws {
        try await StoreError.naming(path) {
            try await queue.writeWithoutTransaction { [self] database in
                var current = epoch.withLock { $0 }
                try database.inTransaction(.immediate) {
                    let stored = try Self.epoch(in: database, path: path)
                    guard stored == current else { throw StoreError.superseded(path: path, by: stored, epoch: current) }
                    for operation in operations {
                        if case .beginLife(let new) = operation {
                            guard new > current else { throw StoreError.backwards(path: path, to: new, from: current) }
                            current = new
                        }
                        try operation.perform(in: database)
                    }
                    return .commit
                }
                epoch.withLock { [current] in $0 = current }
            }
        }
    }

    /// Fencing tokens are made of the epoch and 20 bits more, and kept as signed numbers.
    package static let maximumEpoch = Int64(1) << 43

    private static func epoch(in database: Database, path: String?) throws -> UInt64 {
        let epoch = try Int64.fetchOne(database, sql: "SELECT MAX(CAST(epoch AS INTEGER)) FROM host") ?? 0
        guard (0..<maximumEpoch).contains(epoch) else {
            throw StoreError(
                path: path ?? "in memory",
                "it says that its last host ran in epoch \(epoch), which cannot be: put a copy in its place, or name another file "
                    + "with --store")
        }
        return UInt64(epoch)
    }

    /// What holds up the log's way into the database's file; `nil` when nothing does.
    /// - Parameter limit: how large the log may grow, in bytes.
    package func logProblem(limit: Int) -> String? {
        guard let path else { return nil }
        let size = StoreFile.logSize(of: path)
        guard size > limit else { return nil }
        return
            "another process has been reading \(path) for long, so that its log has grown to \(size >> 20) MiB: end that process"
    }
}
