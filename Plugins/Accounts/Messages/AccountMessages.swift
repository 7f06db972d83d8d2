public import Messaging

/// The account of the user who is logged in.
public struct Account: Codable, Hashable, Sendable {
    public var username: String
    public var displayName: String

    public init(username: String, displayName: String) {
        self.username = username
        self.displayName = displayName
    }
}

extension AppDependency {
    /// The account that is logged in, for the whole application; absent while no user is logged in.
    @Entry public var account: Account?
    /// Whether any account exists. While none exists, anyone may create the first one.
    @Entry public var accountsExist: Bool?
}

/// The messages that the accounts plugin handles.
@ResponderMessages
public protocol AccountMessages {
    /// Logs a user in and publishes the account as an entry of the container.
    ///
    /// After five failures within a minute, further logins of that user are refused for 15 seconds to five minutes.
    func accountLogin(username: String, password: Secret<String>) async throws -> Account
    /// Logs the user out, and refuses all logins that are still being checked.
    func accountLogout() async throws
    /// Creates an account. Anyone may create the first one; after that, a user must be logged in.
    func accountCreate(username: String, password: Secret<String>, displayName: String?) async throws -> Account
    /// Changes the password of the user who is logged in. A wrong old password counts as a failed login of that user.
    func accountChangePassword(password: Secret<String>, newPassword: Secret<String>) async throws
}

extension ResponderChain: AccountMessages {}
