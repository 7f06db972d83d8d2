import GRDB

/// A database that cannot be used, and the way out.
package struct StoreError: Error, CustomStringConvertible {
    package let path: String
    package let reason: String

    init(path: String, _ reason: String) {
        self.path = path
        self.reason = reason
    }

    private init(path: String, _ error: DatabaseError) {
        self.path = path
        switch error.resultCode {
        case .SQLITE_NOTADB:
            reason = "it is not a SQLite database; name another file with --store"
        case .SQLITE_CANTOPEN:
            reason = "it cannot be opened: check that its folder exists and may be written to"
        case .SQLITE_FULL:
            reason = "the disk is full: make room, and it is written with the next change"
        case .SQLITE_READONLY:
            reason = "it may not be written to: check its owner and mode, and those of its folder"
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            reason = "another process has it locked: end that process, or name another file with --store"
        case .SQLITE_CORRUPT:
            reason = "it is damaged (\(error)): put a copy in its place, or name another file with --store"
        default:
            reason = error.description
        }
    }

    private init(path: String, _ error: SessionStateError) {
        self.init(
            path: path,
            """
            the state of session '\(error.session)' cannot be read (\(error.reason)): name another file with --store, or \
            let the session start anew with \"UPDATE session SET state = NULL WHERE id = '\(error.session)'\"
            """)
    }

    /// Runs a body whose errors of the database get the file's name.
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
        let path = path ?? "in memory"
        switch error {
        case let error as DatabaseError: return StoreError(path: path, error)
        case let error as SessionStateError: return StoreError(path: path, error)
        default: return error
        }
    }

    package var description: String { "cannot use the store \(path): \(reason)" }
}
