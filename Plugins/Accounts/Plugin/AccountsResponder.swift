import AccountMessages
import AccountsModel
import CoordinatorKit
import Glibc
import PluginKit

/// Handles the account messages: keeps the accounts in a file, and who is logged in as an entry of the container.
@MainActor
final class AccountsResponder: PluginResponder, AccountMessages {
    private let file: AccountFile
    private var book: AccountBook
    private var throttle = LoginThrottle()

    init(file: AccountFile, book: AccountBook) {
        self.file = file
        self.book = book
    }

    /// The accounts that a file holds; none when there is no file yet.
    /// - Throws: ``AccountsError`` when there is a file that cannot be used; it is left as it is.
    nonisolated static func book(in file: AccountFile) throws -> AccountBook {
        do {
            return try AccountBook(records: try file.load())
        } catch {
            guard error.code == .missingFile else { throw error }
            return try AccountBook()
        }
    }

    var hasAccounts: Bool { !book.records.isEmpty }

    private var account: Account? { plugin?.appDependency.account }

    func accountLogin(username: String, password: String) async throws -> Account {
        try throttle.begin(username, at: now)
        let record = try await Self.verify(username, password: password, in: book)
        throttle.succeeded(username)
        let account = Account(username: record.userName, displayName: record.displayName)
        plugin?.appDependency.account = account
        return account
    }

    func accountLogout() async throws {
        plugin?.appDependency.account = nil
    }

    func accountCreate(username: String, password: String, displayName: String?) async throws -> Account {
        guard !hasAccounts || account != nil else { throw LoginRequired(action: "create another account") }
        try await change { try $0.add(username, password: password, displayName: displayName ?? username) }
        plugin?.appDependency.accountsExist = true
        return Account(username: username, displayName: displayName ?? username)
    }

    func accountChangePassword(password: String, newPassword: String) async throws {
        guard let account else { throw LoginRequired(action: "change the password") }
        _ = try await Self.verify(account.username, password: password, in: book)
        try await change { try $0.changePassword(of: account.username, to: newPassword) }
    }

    // Hashing is slow on purpose: on the loop it would make the host take this process for dead.

    @concurrent
    private static func verify(
        _ username: String, password: String, in book: AccountBook
    ) async throws -> AccountRecord {
        try book.verify(username, password: password)
    }

    /// Changes the book on the disk first, then here: what is not kept has not happened.
    private func change(_ change: @escaping @Sendable (inout AccountBook) throws -> Void) async throws {
        book = try await Self.saved(book, in: file, after: change)
    }

    @concurrent
    private static func saved(
        _ book: AccountBook, in file: AccountFile, after change: @Sendable (inout AccountBook) throws -> Void
    ) async throws -> AccountBook {
        var book = book
        try change(&book)
        try file.save(book.records)
        return book
    }

    private var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Somebody has to log in first.
struct LoginRequired: CodedError, CustomStringConvertible {
    let action: String
    let code = "loginRequired"

    var description: String { "log in to \(action)" }
}
