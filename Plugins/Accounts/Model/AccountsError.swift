/// A failure of an account, a login or the account file, with a message that includes the remedy.
public struct AccountsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, for code. People read ``AccountsError/message``.
    public enum Code: Hashable, Sendable {
        /// The user name breaks the rules for names.
        case invalidName
        /// The display name is empty, too long, or contains control characters.
        case invalidDisplayName
        /// The password is too short, too long, or contains a null character.
        case weakPassword
        /// An account of this name exists, or of a name that differs only in upper and lower case.
        case exists
        /// There is no account of this name. A login never reports this, only operations for operators do.
        case unknownAccount
        /// The table has reached its maximum number of accounts.
        case tooManyAccounts
        /// The name or the password is wrong; the error does not say which.
        case unknownOrWrongPassword
        /// Too many logins failed. The next one is accepted after this many seconds, at least 1.
        case throttled(seconds: Int)
        /// Too many logins, or other operations that hash a password, are under way, of this peer or in all. There is room again
        /// after about this many seconds, at least 1.
        case tooManyLogins(seconds: Int)
        /// The operation requires a login.
        case loginRequired
        /// A logout occurred while the login was being checked.
        case loggedOut
        /// The parameters of the password hash are out of range, or there is no memory for them.
        case invalidParameters
        /// There is no account file at the path.
        case missingFile
        /// The file is not an account file.
        case notOurFile
        /// The account file has the format of another version.
        case otherVersion(Int)
        /// The account file is truncated.
        case cutShort
        /// The account file is complete, but its content was changed by another program.
        case damaged
        /// Reading the file failed.
        case unreadable
        /// Writing the file failed.
        case unwritable
        /// Another process uses the account file.
        case inUse
        /// Another user owns the account file or its folder, or can change its content.
        case unprotected
        /// There is no default folder for the account file.
        case noFolder
    }

    /// The kind of failure.
    public let code: Code
    /// One or two sentences for people: what failed, where, and what to do. Never contains a password or a hash.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
