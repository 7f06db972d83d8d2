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
    /// The account that is logged in to the session; absent while no user is.
    @Entry(.session) public var account: Account?
    /// Whether any account exists, for the whole application. While none exists, anyone may create the first one.
    @Entry public var accountsExist: Bool?
}

/// The messages that the accounts plugin handles.
@ResponderMessages
public protocol AccountMessages {
    /// Logs a user in to the sender's session, and publishes the account as the session's entry.
    ///
    /// A message without a session is refused with the code `sessionRequired`. After five failures within a minute, further logins of that user are refused for 15 seconds to five minutes.
    ///
    /// All messages with a password are refused with the code `tooManyLogins`, and the time after which to try again, while 128 of
    /// them are under way, or 32 of the sender's peer.
    func accountLogin(username: String, password: Secret<String>) async throws -> Account
    /// Logs the user of the sender's session out, and refuses the logins to it that are still being checked.
    func accountLogout() async throws
    /// Checks a user's password for a program that keeps by itself who is logged in to it, such as the console.
    ///
    /// It needs no session, logs nobody in, and publishes nothing. A wrong password counts as a failed login of that user; then
    /// the code is `unknownOrWrongPassword`, and `throttled` for a user whose logins are refused. The code `tooManyLogins` says
    /// nothing about the user.
    func accountCheck(username: String, password: Secret<String>) async throws -> Account
    /// Creates an account. Anyone may create the first one; after that, a user must be logged in to the sender's session, or
    /// an operator of the host sends it without one, for no user. Otherwise the code is `loginRequired`.
    func accountCreate(username: String, password: Secret<String>, displayName: String?) async throws -> Account
    /// Changes the password of the user who is logged in to the sender's session. A wrong old password counts as a failed login of that user.
    func accountChangePassword(password: Secret<String>, newPassword: Secret<String>) async throws
}

extension ResponderChain: AccountMessages {}
