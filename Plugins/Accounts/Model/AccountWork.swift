/// The slow work of an ``AccountBook``, done off the main actor: hashing takes a large part of a second on purpose,
/// and saving waits for the disk.
struct AccountWork: Sendable {
    /// Checks a password; see ``AccountTable/verify(_:password:)``.
    var verify:
        @MainActor @Sendable (AccountTable, _ userName: String, _ password: String) async throws -> AccountRecord
    /// Creates a record with the password's hash.
    var hash:
        @MainActor @Sendable (
            _ userName: String, _ displayName: String, _ password: String, PasswordHashing
        ) async throws -> AccountRecord
    /// Saves all accounts to the disk.
    var save: @MainActor @Sendable ([AccountRecord]) async throws -> Void

    /// - Parameter gate: Where callers wait. Each hash takes 64 MiB, so only a few may be made at a time.
    init(file: AccountFile, gate: HashGate = HashGate(width: 2)) {
        verify = { table, userName, password in
            try await gate.run { try await Self.verify(table, userName, password) }
        }
        hash = { userName, displayName, password, hashing in
            try await gate.run { try await Self.hash(userName, displayName, password, hashing) }
        }
        save = { records in
            try await Self.save(records, in: file)
        }
    }

    @concurrent
    private static func verify(
        _ table: AccountTable, _ userName: String, _ password: String
    ) async throws -> AccountRecord {
        try table.verify(userName, password: password)
    }

    @concurrent
    private static func hash(
        _ userName: String, _ displayName: String, _ password: String, _ hashing: PasswordHashing
    ) async throws -> AccountRecord {
        try AccountRecord(userName: userName, displayName: displayName, password: password, hashing: hashing)
    }

    @concurrent
    private static func save(_ records: [AccountRecord], in file: AccountFile) async throws {
        try file.save(records)
    }
}
