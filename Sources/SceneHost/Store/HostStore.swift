package import Messaging
import Foundation
import GRDB
import GRDBSQLite
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
    let held: Mutex<DatabaseQueue>
    var queue: DatabaseQueue { held.withLock { $0 } }
    let path: String?
    let configuration: Configuration
    /// What the files were at the last look; `nil` for a store in memory.
    let fingerprint: Mutex<StoreFingerprint?>
    /// Whether the files were closed and could not be opened again; see ``restore(from:)``.
    let isClosed = Mutex(false)
    let lastRestored = Mutex(Restored.whole)
    /// The file that gets the number of each write.
    let epochFile = Mutex<EpochFile?>(nil)
    /// The lock that keeps other hosts away; `nil` for a store that is not a host's.
    let lock = Mutex<StoreLock?>(nil)
    private let lastChange: Mutex<UInt64>
    /// The number of the last write. It grows by one with each transaction, also over the lives of hosts.
    package var changes: UInt64 { lastChange.withLock { $0 } }
    /// The epoch that this store expects in the database: its own, or that of the previous host.
    let epoch: Mutex<UInt64>
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
            let queue = try DatabaseQueue(configuration: configuration)
            try Self.migrator.migrate(queue)
            held = Mutex(queue)
            epoch = Mutex(0)
            lastChange = Mutex(0)
            fingerprint = Mutex(nil)
            self.configuration = configuration
            return
        }
        configuration.prepareDatabase { database in
            // With a write-ahead log, EXTRA is the same as FULL. Before the log exists, it syncs the folder, too.
            try database.execute(sql: "PRAGMA synchronous = EXTRA")
            // Shrink a log that has grown because of a slow reader.
            try database.execute(sql: "PRAGMA journal_size_limit = \(Self.maximumLog)")
            if let maximumPages { try database.execute(sql: "PRAGMA max_page_count = \(maximumPages)") }
        }
        let opened = try Self.open(path, configuration)
        held = Mutex(opened.queue)
        epoch = Mutex(opened.epoch)
        lastChange = Mutex(opened.changes)
        fingerprint = Mutex(StoreFingerprint(of: path))
        self.configuration = configuration
    }

    /// Opens or creates the file of a database.
    static func open(
        _ path: String, _ configuration: Configuration
    ) throws -> (queue: DatabaseQueue, epoch: UInt64, changes: UInt64) {
        StoreFile.makeIfMissing(path)
        return try StoreError.naming(path) {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let isMarked = try Self.check(queue, path: path)
            try StoreFile.restrict(path)
            try queue.writeWithoutTransaction { database in
                try Self.startLog(in: database, path: path)
                // Not before it was checked: nothing is left beside a store that is refused.
                try Self.keepLog(database)
                // Set the id before a table is created, so that an interrupted start does not leave a database that
                // looks like another application's.
                if !isMarked { try database.execute(sql: "PRAGMA application_id = \(Self.applicationID)") }
            }
            try Self.migrator.migrate(queue)
            // This fails while another process reads; a later checkpoint then copies the log.
            _ = try? queue.writeWithoutTransaction { try $0.checkpoint(.passive) }
            PrivateFolder.syncFolder(of: path)
            return try queue.read { (queue, try Self.epoch(in: $0, path: path), try Self.changes(in: $0)) }
        }
    }

    /// Keeps the log and its index when the database is closed.
    ///
    /// Their room on the disk is what the next start needs, and would be taken by others on a full disk.
    private static func keepLog(_ database: Database) throws {
        var isKept: CInt = 1
        let code = sqlite3_file_control(database.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &isKept)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// The size to which a log is shrunk that has grown because of a slow reader.
    private static let maximumLog = 4 << 20

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
    ///
    /// The log keeps its size, for the next start on a full disk, but is void if all of it was copied: a file that is
    /// put in the place of this one must not get its changes.
    package func close() throws {
        try StoreError.naming(path) {
            let isCopied = try queue.writeWithoutTransaction { [path] database in
                if let path, StoreFile.logSize(of: path) <= Self.maximumLog {
                    // Closing would empty the log otherwise.
                    try database.execute(sql: "PRAGMA journal_size_limit = -1")
                }
                guard path != nil, let log = try? database.checkpoint(.passive) else { return false }
                return log.walFrameCount == log.checkpointedFrameCount
            }
            let isOurs = damage() == nil
            try queue.close()
            if let path, isCopied, isOurs { StoreFile.voidLog(of: path) }
        }
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
                if let damage = damage() { throw StoreError.lost(path: path, damage) }
                var current = epoch.withLock { $0 }
                let change = changes + 1
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
                    try database.cachedStatement(sql: "UPDATE host SET changes = ?")
                        .execute(arguments: [Int64(clamping: change)])
                    return .commit
                }
                epoch.withLock { [current] in $0 = current }
                lastChange.withLock { $0 = change }
                try checkFiles()
                epochFile.withLock { $0 }?.note(changes: change)
            }
        }
    }

    /// Checks, after a write, that it went to the files at the store's path.
    private func checkFiles() throws {
        guard let path else { return }
        try fingerprint.withLock { known in
            let present = StoreFingerprint(of: path)
            if let damage = known?.damage(in: present, allowsShorter: true) {
                throw StoreError.lost(path: path, damage)
            }
            known = present
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
