public import Messaging

/// Who is logged in.
public struct Account: Codable, Hashable, Sendable {
    public var username: String
    public var displayName: String

    public init(username: String, displayName: String) {
        self.username = username
        self.displayName = displayName
    }
}

extension AppDependency {
    /// Who is logged in, in the whole application; not there when nobody is.
    @Entry public var account: Account?
    /// Whether there is any account; while there is none, anybody may create the first.
    @Entry public var accountsExist: Bool?
}

/// What others ask of the accounts plugin.
@ResponderMessages
public protocol AccountMessages {
    /// Logs in; the account is an entry of the container from then on. After five failures within a minute the user has to
    /// wait, from 15 seconds to five minutes.
    func accountLogin(username: String, password: String) async throws -> Account
    /// Logs out who is logged in, and refuses the logins that are being checked.
    func accountLogout() async throws
    /// Creates an account: the first by anybody, the others by who is logged in.
    func accountCreate(username: String, password: String, displayName: String?) async throws -> Account
    /// Changes the password of who is logged in. A wrong one counts as a failed login of that user.
    func accountChangePassword(password: String, newPassword: String) async throws
}

extension ResponderChain: AccountMessages {}
