import Glibc

/// The accounts of one file and who is logged in, for many callers at once.
///
/// Hashing and saving suspend a call, and others run meanwhile. So nothing that was read before is trusted afterwards:
/// changes are made one at a time, each on the newest book, and what allowed a call is looked at again when it takes
/// effect.
@MainActor
public final class AccountRegistry {
    /// All accounts, as they are on the disk.
    public private(set) var book: AccountBook
    /// Who is logged in, as they were when they logged in.
    public private(set) var account: AccountRecord? { didSet { onChange?() } }
    /// Called after each change of ``account`` and of ``book``.
    public var onChange: (@MainActor () -> Void)?

    private let work: AccountWork
    private let now: @MainActor () -> Double
    /// One for all ways to try a password.
    private var throttle = LoginThrottle()
    /// Tells a login that somebody has logged out while it was checked.
    private var logouts = 0
    /// The end of the change that was begun last.
    private var lastChange: Task<Void, Never>?

    /// Reads the accounts.
    ///
    /// - Parameter file: Where they are kept. No other process may use it: hold its ``AccountFileLock``.
    /// - Throws: ``AccountsError`` when there is a file that cannot be used; it is left as it is. No file is a first start.
    public convenience init(file: AccountFile) throws(AccountsError) {
        self.init(book: try AccountBook(records: file.loadIfPresent()), work: AccountWork(file: file))
    }

    /// - Parameter now: Seconds of a monotonic clock.
    init(book: AccountBook, work: AccountWork, now: @escaping @MainActor () -> Double = { AccountRegistry.uptime }) {
        self.book = book
        self.work = work
        self.now = now
    }

    /// Whether there is any account. While there is none, anybody may create the first.
    public var hasAccounts: Bool { !book.records.isEmpty }

    /// Logs a user in, in the place of whoever was.
    ///
    /// - Throws: `throttled`, `unknownOrWrongPassword`, `loggedOut`, `invalidParameters`.
    @discardableResult
    public func logIn(_ userName: String, password: String) async throws -> AccountRecord {
        let logouts = logouts
        let record = try await verified(userName, password: password)
        guard logouts == self.logouts else {
            throw AccountsError(.loggedOut, "Somebody has logged out while this login was checked: log in again.")
        }
        account = record
        return await rehashed(record, password: password)
    }

    /// Hashes the password of an account anew that was hashed by an earlier version, or with other parameters. A login that cannot
    /// do so is a login all the same, and the next one tries again.
    private func rehashed(_ record: AccountRecord, password: String) async -> AccountRecord {
        guard record.hashing != book.hashing,
            let new = try? await work.hash(record.userName, record.displayName, password, book.hashing),
            (try? await change({ try $0.replace(record, with: new) })) != nil
        else { return record }
        if account == record { account = new }
        return new
    }

    /// Ends the login of whoever is logged in, and the logins that are being checked.
    public func logOut() {
        logouts += 1
        account = nil
    }

    /// Creates an account: the first in the name of anybody, the others in the name of who is logged in.
    ///
    /// - Throws: `loginRequired`, and what ``AccountBook/add(_:password:displayName:)`` and ``AccountFile/save(_:)``
    ///   throw. Nothing has changed then, but that after a failure to save the file may hold the account all the same.
    @discardableResult
    public func create(_ userName: String, password: String, displayName: String) async throws -> AccountRecord {
        let creator = account?.userName
        try checkMayCreate(creator)
        try AccountRules.checkName(userName)
        try AccountRules.checkDisplayName(displayName)
        try AccountRules.checkPassword(password)
        try book.checkRoom(for: userName)
        let record = try await work.hash(userName, displayName, password, book.hashing)
        try await change { book in
            // Another may have become the first account meanwhile, and who asked for this one may have logged out.
            try self.checkMayCreate(creator)
            try book.insert(record)
        }
        return record
    }

    /// Changes the password of who is logged in.
    ///
    /// - Throws: `loginRequired`, `weakPassword`, `throttled`, `unknownOrWrongPassword`, and what
    ///   ``AccountFile/save(_:)`` throws.
    public func changePassword(from password: String, to newPassword: String) async throws {
        let user = try loggedInUser()
        // Before the password is looked at: an attempt that must fail anyway tells nothing about it.
        try AccountRules.checkPassword(newPassword)
        let seen = try await verified(user, password: password)
        let record = try await work.hash(user, seen.displayName, newPassword, book.hashing)
        try await change { book in
            guard try self.loggedInUser() == user else { throw Self.loginRequired(to: "change the password") }
            try book.replace(seen, with: record)
        }
    }

    // MARK: - Rules

    private func checkMayCreate(_ creator: String?) throws(AccountsError) {
        guard !hasAccounts || creator != nil && account?.userName == creator else {
            throw Self.loginRequired(to: "create another account")
        }
    }

    private func loggedInUser() throws(AccountsError) -> String {
        guard let account else { throw Self.loginRequired(to: "change the password") }
        return account.userName
    }

    private static func loginRequired(to action: String) -> AccountsError {
        AccountsError(.loginRequired, "Nobody is logged in: log in to \(action).")
    }

    /// The account that a password belongs to at the moment of the return.
    private func verified(_ userName: String, password: String) async throws -> AccountRecord {
        try throttle.begin(userName, at: now())
        while true {
            let record = try await work.verify(book, userName, password)
            // The account may have got another password while this one was hashed: it is checked against that one then.
            guard book.record(of: userName) == record else { continue }
            throttle.succeeded(userName)
            return record
        }
    }

    // MARK: - Changes

    /// Changes the book on the disk first, then here: what is not kept has not happened. One change at a time.
    ///
    /// - Parameter edit: Called with the newest book when it is the change's turn; looks at what allows the change again.
    private func change(_ edit: @escaping @MainActor (inout AccountBook) throws -> Void) async throws {
        let previous = lastChange
        let task = Task {
            await previous?.value
            // Its caller does not wait any more, and has been told so.
            try Task.checkCancellation()
            var book = self.book
            try edit(&book)
            try await self.work.save(book.records)
            self.book = book
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
