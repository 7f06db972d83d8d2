import GRDB

/// The reason why a database cannot be used, and how to fix it.
package struct StoreError: Error, CustomStringConvertible {
    package enum Kind: Sendable {
        /// Another process has locked it; a retry may succeed.
        case busy
        /// A host of a later epoch uses it; this host must not write to it.
        case superseded
        /// Its files are not those that are open any more.
        case lost
        /// The file is not a store that this version and this user can use, or it cannot be created.
        case unsuitable
        case other
    }

    package let path: String
    package let reason: String
    package let kind: Kind

    init(path: String, _ reason: String, kind: Kind = .other) {
        self.path = path
        self.reason = reason
        self.kind = kind
    }

    static func superseded(path: String?, by newer: UInt64, epoch: UInt64) -> StoreError {
        StoreError(
            path: path ?? "in memory",
            """
            another host has taken it over (in epoch \(newer); this host expected \(epoch)); \
            \(whatFollows)
            """, kind: .superseded)
    }

    /// What follows for a host whose store another one has.
    private static let whatFollows =
        "this host writes nothing to it until it is restarted: end this host, or start it again with another --store"

    /// - Parameter owner: the process that holds the lock.
    static func takenOver(path: String, by owner: String) -> StoreError {
        StoreError(
            path: path,
            """
            its lock was removed while the host runs, and another host has taken it over (\(owner)); \
            \(whatFollows)
            """, kind: .superseded)
    }

    static func lost(path: String?, _ damage: String) -> StoreError {
        StoreError(path: path ?? "in memory", "\(damage) while the host runs", kind: .lost)
    }

    static func backwards(path: String?, to new: UInt64, from epoch: UInt64) -> StoreError {
        StoreError(
            path: path ?? "in memory",
            "a host has used it in epoch \(epoch), and epoch \(new) would go backwards: its fencing tokens would be outdated"
        )
    }

    private init(path: String, _ error: DatabaseError) {
        self.path = path
        kind =
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            case .SQLITE_NOTADB, .SQLITE_CANTOPEN: .unsuitable
            default: .other
            }
        switch error.resultCode {
        case .SQLITE_NOTADB:
            reason = "it is not a SQLite database; name another file with --store"
        case .SQLITE_CANTOPEN:
            reason = "it cannot be opened: check that its folder exists and may be written to"
        case .SQLITE_FULL:
            reason = "the disk is full: make room"
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE:
            reason = "there is no room for the files that SQLite keeps beside it: make room"
        case .SQLITE_READONLY:
            reason = "it may not be written to: check its owner and mode, and those of its folder"
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            reason = "another process has it locked: end that process, or name another file with --store"
        case .SQLITE_CORRUPT:
            reason = "it is damaged (\(error)): restore a backup, or name another file with --store"
        default:
            reason = error.description
        }
    }

    /// Runs a body and adds the file's path to the database errors that it throws.
    static func naming<Result>(_ path: String?, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw named(error, path)
        }
    }

    static func naming<Result>(_ path: String?, _ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch {
            throw named(error, path)
        }
    }

    private static func named(_ error: any Error, _ path: String?) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        return StoreError(path: path ?? "in memory", error)
    }

    /// What happened to the files, which has their path, says enough.
    package var description: String { kind == .lost ? reason : "cannot use the store \(path): \(reason)" }
}
