import Glibc

/// The accounts of one file and those that are logged in, one in each session, for concurrent callers.
///
/// A call suspends while it hashes or saves, and other calls run meanwhile. Therefore no state that was read before a
/// suspension is trusted after it: changes are made one at a time, each on the newest table, and the preconditions of a
/// call are checked again when it takes effect.
@MainActor
public final class AccountBook {
    /// All accounts, as they are on the disk.
    public private(set) var table: AccountTable
    /// The accounts that are logged in, by session, as they were at the login.
    public private(set) var accounts: [String: AccountRecord] = [:]
    /// Called after each change of ``table``.
    public var onChange: (@MainActor () -> Void)?
    /// Called with a session after each login and logout in it.
    public var onLogin: (@MainActor (_ session: String) -> Void)?

    private let work: AccountWork
    private let now: @MainActor () -> Double
    /// Shared by all operations that check a password.
    private var throttle = LoginThrottle()
    private var places = LoginPlaces()
    /// The logins that are being checked, by session. A logout removes those of its session.
    private var checks: [String: Set<Int>] = [:]
    private var lastCheck = 0
    /// The latest change; the next one waits for it.
    private var lastChange: Task<Void, Never>?

    /// Reads the accounts.
    ///
    /// - Parameter file: The file of the accounts, which need not exist. No other process may use it: hold its
    ///   ``AccountFileLock``.
    /// - Throws: ``AccountsError`` when there is a file that cannot be used. The file is not changed.
    public convenience init(file: AccountFile) throws(AccountsError) {
        self.init(table: try AccountTable(records: file.loadIfPresent()), work: AccountWork(file: file))
    }

    /// - Parameter now: Seconds of a monotonic clock.
    init(table: AccountTable, work: AccountWork, now: @escaping @MainActor () -> Double = { AccountBook.uptime }) {
        self.table = table
        self.work = work
        self.now = now
    }

    /// Whether any account exists. While none exists, anyone may create the first one.
    public var hasAccounts: Bool { !table.records.isEmpty }

    /// Logs a user in to a session, which ends the login of any other user in it.
    ///
    /// - Parameter peer: The name of the process that asks, whose share of the room the login takes.
    /// - Throws: `tooManyLogins`, `throttled`, `unknownOrWrongPassword`, `loggedOut`, `invalidParameters`.
    @discardableResult
    public func logIn(
        _ userName: String, password: String, in session: String, from peer: String = ""
    ) async throws -> AccountRecord {
        lastCheck += 1
        let check = lastCheck
        checks[session, default: []].insert(check)
        defer { end(check, in: session) }
        let record = try await inPlace(of: peer) { try await verified(userName, password: password) }
        guard checks[session]?.contains(check) == true else {
            throw AccountsError(.loggedOut, "A logout occurred while this login was being checked: log in again.")
        }
        accounts[session] = record
        onLogin?(session)
        rehash(record, password: password, of: session)
        return record
    }

    /// Checks a password, and logs nobody in. A wrong one counts as a failed login.
    ///
    /// - Parameter peer: As for ``logIn(_:password:in:from:)``.
    /// - Throws: `tooManyLogins`, `throttled`, `unknownOrWrongPassword`, `invalidParameters`.
    public func check(_ userName: String, password: String, from peer: String = "") async throws -> AccountRecord {
        let record = try await inPlace(of: peer) { try await verified(userName, password: password) }
        rehash(record, password: password, of: nil)
        return record
    }

    private func end(_ check: Int, in session: String) {
        checks[session]?.remove(check)
        if checks[session]?.isEmpty == true { checks[session] = nil }
    }

    /// The users whose passwords are being changed, which makes new hashes anyway.
    private var changing: Set<String> = []
    /// The tasks that rehash passwords, by user name.
    private(set) var rehashing: [String: Task<Void, Never>] = [:]
    /// Called when a password could not be rehashed. The login stands, and the next one tries again.
    public var onRehashFailure: (@MainActor (_ userName: String, _ error: any Error) -> Void)?

    /// Rehashes a password that was hashed by an earlier version or at lower cost. The login does not wait for it.
    private func rehash(_ record: AccountRecord, password: String, of session: String?) {
        let name = record.userName
        guard record.hashing.isWeaker(than: table.hashing), rehashing[name] == nil, !changing.contains(name) else {
            return
        }
        rehashing[name] = Task {
            do {
                let new = try await work.hash(name, record.displayName, password, table.hashing)
                try await change { try $0.replace(record, with: new) }
                if let session, accounts[session] == record { accounts[session] = new }
            } catch {
                // If the password has been changed meanwhile, no new hash of the old one is needed.
                if table.record(of: name) == record { onRehashFailure?(name, error) }
            }
            rehashing[name] = nil
        }
    }

    /// Logs the user of a session out, and ends the logins in it that are being checked.
    public func logOut(in session: String) {
        checks[session] = nil
        if accounts.removeValue(forKey: session) != nil { onLogin?(session) }
    }

    /// Forgets the logins in sessions that are closed.
    public func forgetLogins(where isClosed: (_ session: String) -> Bool) {
        accounts = accounts.filter { !isClosed($0.key) }
    }

    /// Creates an account. Anyone may create the first one; after that, a user must be logged in, or an operator asks.
    ///
    /// - Parameters:
    ///   - session: The caller's session; `nil` for a caller without one.
    ///   - isOperator: Whether the caller is an operator of the host, who needs no session. In one, its user counts.
    ///   - peer: As for ``logIn(_:password:in:from:)``.
    /// - Throws: `loginRequired`, `tooManyLogins`; the errors of ``AccountTable/add(_:password:displayName:)`` and
    ///   ``AccountFile/save(_:)``. Nothing has changed then, except that after a failed save the file may already
    ///   contain the account.
    @discardableResult
    public func create(
        _ userName: String, password: String, displayName: String, in session: String?,
        byOperator isOperator: Bool = false, from peer: String = ""
    ) async throws -> AccountRecord {
        let creator = user(of: session)
        try checkMayCreate(creator, in: session, byOperator: isOperator)
        try AccountRules.checkName(userName)
        try AccountRules.checkDisplayName(displayName)
        try AccountRules.checkPassword(password)
        try table.checkRoom(for: userName)
        let record = try await inPlace(of: peer) {
            try await work.hash(userName, displayName, password, table.hashing)
        }
        try await change { table in
            // Meanwhile another account may have become the first, or the caller's user may have logged out.
            try self.checkMayCreate(creator, in: session, byOperator: isOperator)
            try table.insert(record)
        }
        return record
    }

    /// Changes the password of the user who is logged in.
    ///
    /// - Parameters:
    ///   - session: The caller's session; `nil` for a caller without one.
    ///   - peer: As for ``logIn(_:password:in:from:)``.
    /// - Throws: `loginRequired`, `weakPassword`, `tooManyLogins`, `throttled`, `unknownOrWrongPassword`; the errors of
    ///   ``AccountFile/save(_:)``.
    public func changePassword(
        from password: String, to newPassword: String, in session: String?, from peer: String = ""
    ) async throws {
        let user = try loggedInUser(in: session)
        // Check this before the old password is verified, because an attempt that fails anyway must not reveal anything
        // about the old password.
        try AccountRules.checkPassword(newPassword)
        // Wait for a login's rehash, because it would replace the record that is read below.
        await rehashing[user]?.value
        changing.insert(user)
        defer { changing.remove(user) }
        let (seen, record) = try await inPlace(of: peer) {
            let seen = try await verified(user, password: password)
            return (seen, try await work.hash(user, seen.displayName, newPassword, table.hashing))
        }
        try await change { table in
            guard try self.loggedInUser(in: session) == user else {
                throw Self.loginRequired(to: "change the password")
            }
            try table.replace(seen, with: record)
        }
    }

    // MARK: - Rules

    private func user(of session: String?) -> String? { session.flatMap { accounts[$0]?.userName } }

    private func checkMayCreate(
        _ creator: String?, in session: String?, byOperator isOperator: Bool
    ) throws(AccountsError) {
        guard hasAccounts else { return }
        guard session != nil else {
            if isOperator { return }
            throw AccountsError(
                .loginRequired,
                "There are accounts already, and without a session only an operator of the host creates another one: log in "
                    + "to a session, and create it there.")
        }
        guard creator != nil, user(of: session) == creator else {
            throw Self.loginRequired(to: "create another account")
        }
    }

    private func loggedInUser(in session: String?) throws(AccountsError) -> String {
        guard let name = user(of: session) else { throw Self.loginRequired(to: "change the password") }
        return name
    }

    private static func loginRequired(to action: String) -> AccountsError {
        AccountsError(.loginRequired, "No user is logged in to this session: log in to \(action).")
    }

    /// Verifies a password and returns its account. The result is correct at the moment of the return.
    private func verified(_ userName: String, password: String) async throws -> AccountRecord {
        try throttle.begin(userName, at: now())
        while true {
            let record = try await work.verify(table, userName, password)
            // The account's password may have changed during the hashing. Then check against the new one.
            guard table.record(of: userName) == record else { continue }
            throttle.succeeded(userName)
            return record
        }
    }

    /// Hashes passwords, if there is room. Without any, nothing has been begun, and no attempt counts.
    private func inPlace<Result: Sendable>(
        of peer: String, _ hash: @MainActor () async throws -> Result
    ) async throws -> Result {
        try places.take(for: peer)
        let begun = now()
        defer { places.leave(for: peer, after: now() - begun) }
        return try await hash()
    }

    // MARK: - Changes

    /// Changes the table, one change at a time: first on the disk, then in memory, so that an unsaved change has no
    /// effect.
    ///
    /// - Parameter edit: Called with the newest table when it is the change's turn; it checks the preconditions again.
    private func change(_ edit: @escaping @MainActor (inout AccountTable) throws -> Void) async throws {
        let previous = lastChange
        let task = Task {
            await previous?.value
            // The caller no longer waits and has already got an error.
            try Task.checkCancellation()
            var table = self.table
            try edit(&table)
            try await self.work.save(table.records)
            self.table = table
            self.onChange?()
        }
        lastChange = Task { _ = await task.result }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private static var uptime: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
