package import Messaging
import Foundation
import GRDB
import PeerLink
import Synchronization

/// The host's SQLite database, which keeps the open sessions and the records of `@Once` requests.
///
/// One database queue serves the process as long as it runs.
///
/// A write that has returned survives a power cut. The database uses a write-ahead log: each commit to it is synced,
/// and so is the folder when the log is created. A rollback journal would not do: its removal is the commit, and if
/// the folder is not synced, the journal reappears after a power cut and undoes the last commit. Other processes may
/// read the database without blocking the host.
///
/// A host marks the database with its epoch when it starts. From then on a host with an older epoch cannot write.
package final class HostStore: Sendable {
    let queue: DatabaseQueue
    let path: String?
    /// The epoch that this store expects in the database: its own, or that of the previous host.
    private let epoch: Mutex<UInt64>
    private let unreadableRows = Mutex<[UnreadableRow]>([])

    /// Opens or creates the database.
    /// - Parameters:
    ///   - path: the file; `nil` for a database in memory.
    ///   - maximumPages: the maximum size of the file in pages, which simulates a full disk; `nil` for no limit.
    ///   - busyTimeout: how long a write waits for another process that has locked the database.
    /// - Throws: ``StoreError`` when the file is not a SceneBus database, is of a newer version, or cannot be used.
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
            // With a write-ahead log, EXTRA is the same as FULL. Before the log exists, it syncs the folder, too.
            try database.execute(sql: "PRAGMA synchronous = EXTRA")
            // Shrink a log that has grown because of a slow reader.
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
                // Set the id before a table is created, so that an interrupted start does not leave a database that
                // looks like another application's.
                if !isMarked { try database.execute(sql: "PRAGMA application_id = \(Self.applicationID)") }
            }
            try Self.migrator.migrate(queue)
            // This fails while another process reads; a later checkpoint then copies the log.
            _ = try? queue.writeWithoutTransaction { try $0.checkpoint(.passive) }
            PrivateFolder.syncFolder(of: path)
            return (queue, try queue.read { try Self.epoch(in: $0, path: path) })
        }
        self.queue = queue
        self.epoch = Mutex(epoch)
    }

    private static func startLog(in database: Database, path: String) throws {
        // Not GRDB's setting for WAL, which would also set `synchronous` to NORMAL.
        guard try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL") == "wal" else {
            throw StoreError(
                path: path,
                "its file system does not support shared memory, which SQLite's write-ahead log needs; name a file on another "
                    + "with --store")
        }
    }

    /// Closes the database, which copies the log to the file.
    package func close() throws {
        try StoreError.naming(path) { try queue.close() }
    }

    // MARK: - Reading

    /// Reads all open sessions, in the order in which they were opened.
    ///
    /// Rows that cannot be read stay in the database; see ``unreadable``.
    package func sessions() async throws -> [SessionRecord] {
        try await StoreError.naming(path) {
            let (records, unreadable) = try await queue.read { database in
                try UnreadableRow.setAside(
                    try Row.fetchCursor(database, sql: "SELECT * FROM session ORDER BY position, rowid"),
                    SessionRecord.init(row:))
            }
            add(unreadable)
            return records
        }
    }

    /// Reads the records of all requests, the oldest first, without their replies.
    ///
    /// Records whose keys cannot be read are omitted, because no request can match them; see ``unreadable``.
    package func requests() async throws -> [StoredRequest] {
        try await StoreError.naming(path) {
            let (records, unreadable) = try await queue.read { database in
                try UnreadableRow.setAside(
                    try Row.fetchCursor(
                        database,
                        sql: "SELECT peer, id, message, time, length(reply) AS size FROM request ORDER BY time"),
                    StoredRequest.init(row:))
            }
            add(unreadable)
            return records
        }
    }

    /// Returns whether there is a row for a session, even one that cannot be read.
    package func hasSession(_ id: String) async throws -> Bool {
        try await StoreError.naming(path) {
            try await queue.read { database in
                try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM session WHERE id = ?)", arguments: [id])
                    ?? false
            }
        }
    }

    /// The rows that could not be read. They stay in the database for a version that can read them.
    package var unreadable: [UnreadableRow] { unreadableRows.withLock { $0 } }

    private func add(_ rows: [UnreadableRow]) {
        unreadableRows.withLock { known in known += rows.filter { !known.contains($0) } }
    }

    /// Reads the recorded reply to a request.
    /// - Returns: the encoded frame; `nil` when no reply is recorded.
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

    /// Performs all operations in one transaction, and returns when it is on the disk.
    /// - Throws: ``StoreError``; ``StoreError/Kind/superseded`` when another host has started since.
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

    /// Describes why the log is not copied to the database's file; `nil` when the log is within the limit.
    /// - Parameter limit: the maximum size of the log in bytes.
    package func logProblem(limit: Int) -> String? {
        guard let path else { return nil }
        let size = StoreFile.logSize(of: path)
        guard size > limit else { return nil }
        return
            "another process has been reading \(path) for so long that its log has grown to \(size >> 20) MiB: end that process"
    }
}
