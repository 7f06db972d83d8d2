import GRDB

/// The epoch of the last host, with which the database is marked.
extension HostStore {
    /// Reads what is recorded about the last host.
    /// - Returns: its `epoch`, and whether it shut down in order, with no scene left running.
    package func lastLife() async throws -> (epoch: UInt64, endedCleanly: Bool) {
        try await StoreError.naming(path) {
            try await queue.read { [path] database in
                let isClean = try Bool.fetchOne(database, sql: "SELECT MIN(cleanEnd IS TRUE) FROM host")
                return (try Self.epoch(in: database, path: path), isClean ?? false)
            }
        }
    }

    static func epoch(in database: Database, path: String?) throws -> UInt64 {
        let epoch = try Int64.fetchOne(database, sql: "SELECT MAX(CAST(epoch AS INTEGER)) FROM host") ?? 0
        guard (0..<EpochFile.maximumEpoch).contains(epoch) else {
            throw StoreError(
                path: path ?? "in memory",
                "it records epoch \(epoch) for its last host, which is not valid: restore a backup, or name another file "
                    + "with --store")
        }
        return UInt64(epoch)
    }
}

/// The number of the last write, which ``EpochFile`` contains too.
extension HostStore {
    static func changes(in database: Database) throws -> UInt64 {
        UInt64(clamping: try Int64.fetchOne(database, sql: "SELECT MAX(CAST(changes AS INTEGER)) FROM host") ?? 0)
    }
}
