/// What went wrong with an account, a login or the account file, and the way out.
public struct AccountsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which of the known failures it is: for code that decides; people read ``AccountsError/message``.
    public enum Code: Hashable, Sendable {
        /// The user name breaks the rules for names.
        case invalidName
        /// The display name is empty, too long or holds control characters.
        case invalidDisplayName
        /// The password is too short, too long, or holds a null character.
        case weakPassword
        /// There is an account of this name, or of a name that differs only in upper and lower case.
        case exists
        /// There is no account of this name. Only for operators: a login never tells.
        case unknownAccount
        /// The book holds as many accounts as it can.
        case tooManyAccounts
        /// The login failed. Whether the name or the password was wrong is not told.
        case unknownOrWrongPassword
        /// Too many failed logins: the next one is answered in this many seconds, at least 1.
        case throttled(seconds: Int)
        /// Somebody has to log in first.
        case loginRequired
        /// Somebody has logged out while the login was checked.
        case loggedOut
        /// The parameters of the password hash are out of range, or there is no memory for them.
        case invalidParameters
        /// There is no account file at the path.
        case missingFile
        /// The file is something else.
        case notOurFile
        /// The account file has the format of another version.
        case otherVersion(Int)
        /// The account file ends too early.
        case cutShort
        /// The account file is complete but its content was changed by something else.
        case damaged
        /// The system refused to read the file.
        case unreadable
        /// The system refused to write the file.
        case unwritable
        /// Another process uses the account file.
        case inUse
        /// Somebody else owns the account file or its folder, or may change what is in it.
        case unprotected
        /// Nothing says in which folder the account file is.
        case noFolder
    }

    /// The kind of failure.
    public let code: Code
    /// One or two sentences for a person: what, where and the way out. Never holds a password or a hash.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
