import Logging
import AccountMessages
import AccountsModel
import Messaging
import PluginKit

/// Passes the account messages to the book, and publishes the book's state: the account that is logged in to each
/// session, and whether any account exists.
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
        book.onLogin = { [weak self] in self?.publishAccount(in: $0) }
        book.onRehashFailure = { [weak self] name, error in
            self?.plugin?.logger.warning(
                "a password could not be rehashed; the next login tries again",
                metadata: ["user": "\(name)", "error": "\(error)"])
        }
    }

    func publish() { plugin?.appDependency.accountsExist = book.hasAccounts }

    private func publishAccount(in session: String) {
        do {
            try plugin?.set(\.account, to: book.accounts[session].map(Account.init), for: session)
        } catch {
            plugin?.logger.error(
                "a login cannot be published", metadata: ["session": "\(session)", "error": "\(error)"])
        }
    }

    /// The session of the message that is being handled; `nil` if it has none.
    ///
    /// A session that was closed has lost its entry, and a later one of the same identifier does not get its login.
    private var session: String? {
        book.forgetLogins { plugin?.appDependency(of: $0).account == nil }
        return MessageContext.current?.session
    }

    private func requiredSession() throws -> String {
        guard let session else { throw AccountRefused.sessionRequired }
        return session
    }

    /// The peer with which the message began that is being handled, by its key if it has one.
    private var peer: String { (MessageContext.current?.actor).map { $0.key ?? $0.peer } ?? "" }

    /// Whether an operator of the host has sent the message that is being handled, as the host attests it, and on no user's
    /// behalf. A program with users of its own, such as the console, is not asked for what they may do here, and a worker or
    /// plugin that an operator's message was handed to gets none of the operator's rights with it.
    private var isByOperator: Bool {
        guard let context = MessageContext.current, let actor = context.actor else { return false }
        return actor.role == .operator && actor.user == nil && context.isSentByActor
    }

    func accountLogin(username: String, password: Secret<String>) async throws -> Account {
        let (session, peer) = (try requiredSession(), peer)
        return Account(
            try await coded {
                try await self.book.logIn(username, password: password.revealed, in: session, from: peer)
            })
    }

    func accountLogout() async throws {
        book.logOut(in: try requiredSession())
    }

    func accountCheck(username: String, password: Secret<String>) async throws -> Account {
        let peer = peer
        return Account(
            try await coded { try await self.book.check(username, password: password.revealed, from: peer) })
    }

    func accountCreate(username: String, password: Secret<String>, displayName: String?) async throws -> Account {
        let (session, peer, isByOperator) = (session, peer, isByOperator)
        return Account(
            try await coded {
                try await self.book.create(
                    username, password: password.revealed, displayName: displayName ?? username, in: session,
                    byOperator: isByOperator, from: peer)
            })
    }

    func accountChangePassword(password: Secret<String>, newPassword: Secret<String>) async throws {
        let (session, peer) = (session, peer)
        try await coded {
            try await self.book.changePassword(
                from: password.revealed, to: newPassword.revealed, in: session, from: peer)
        }
    }

    /// Runs a body, and gives the errors that callers tell apart their codes.
    private func coded<Result: Sendable>(_ body: @MainActor () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as AccountsError {
            let code: String
            switch error.code {
            case .loginRequired: code = "loginRequired"
            case .unknownOrWrongPassword: code = "unknownOrWrongPassword"
            case .throttled: code = "throttled"
            case .tooManyLogins: code = "tooManyLogins"
            default: throw error
            }
            throw AccountRefused(code: code, description: error.message)
        }
    }
}

extension Account {
    fileprivate init(_ record: AccountRecord) {
        self.init(username: record.userName, displayName: record.displayName)
    }
}

/// An error with a code that callers can check.
struct AccountRefused: CodedError, CustomStringConvertible {
    let code: String
    let description: String

    static let sessionRequired = AccountRefused(
        code: "sessionRequired",
        description: "a user logs in to a session, and the message has none: send it from a scene, or with --session")
}
