import Logging
import AccountMessages
import AccountsModel
import Messaging
import PluginKit

/// Passes the account messages to the book, and publishes the book's state: the account that is logged in, and
/// whether any account exists.
@MainActor
final class AccountsResponder: PluginResponder, AccountMessages {
    private let book: AccountBook
    /// Held so that no other process uses the file while this one runs.
    private let lock: AccountFileLock

    init(_ book: AccountBook, lock: AccountFileLock) {
        self.book = book
        self.lock = lock
        super.init()
        book.onChange = { [weak self] in self?.publish() }
        book.onRehashFailure = { [weak self] name, error in
            self?.plugin?.logger.warning(
                "a password could not be rehashed; the next login tries again",
                metadata: ["user": "\(name)", "error": "\(error)"])
        }
    }

    func publish() {
        guard let plugin else { return }
        // A single assignment, so that both entries are published as one change.
        var container = plugin.appDependency
        container.account = book.account.map(Account.init)
        container.accountsExist = book.hasAccounts
        plugin.appDependency = container
    }

    func accountLogin(username: String, password: Secret<String>) async throws -> Account {
        Account(try await coded { try await self.book.logIn(username, password: password.revealed) })
    }

    func accountLogout() async throws {
        book.logOut()
    }

    func accountCreate(username: String, password: Secret<String>, displayName: String?) async throws -> Account {
        Account(
            try await coded {
                try await self.book.create(
                    username, password: password.revealed, displayName: displayName ?? username)
            })
    }

    func accountChangePassword(password: Secret<String>, newPassword: Secret<String>) async throws {
        try await coded { try await self.book.changePassword(from: password.revealed, to: newPassword.revealed) }
    }

    /// Runs a body, and turns a missing login into an error with a code that callers can check.
    private func coded<Result: Sendable>(_ body: @MainActor () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as AccountsError where error.code == .loginRequired {
            throw LoginRequired(description: error.message)
        }
    }
}

extension Account {
    fileprivate init(_ record: AccountRecord) {
        self.init(username: record.userName, displayName: record.displayName)
    }
}

/// The error of an operation that requires a login.
struct LoginRequired: CodedError, CustomStringConvertible {
    let code = "loginRequired"
    let description: String
}
