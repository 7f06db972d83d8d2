/// A stored account, with the salted hash of the password.
///
/// Not `Codable`, and its description omits salt and hash, so that they cannot end up on the bus or in a log by
/// mistake.
public struct AccountRecord: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The name the user logs in with.
    public let userName: String
    /// The name shown to others.
    public let displayName: String
    /// Random bytes that make equal passwords give different hashes.
    public let salt: [UInt8]
    /// How the hash was made.
    public let hashing: PasswordHashing
    /// The password's hash.
    public let hash: [UInt8]

    init(userName: String, displayName: String, salt: [UInt8], hashing: PasswordHashing, hash: [UInt8]) {
        self.userName = userName
        self.displayName = displayName
        self.salt = salt
        self.hashing = hashing
        self.hash = hash
    }

    init(
        userName: String, displayName: String, password: String, hashing: PasswordHashing
    ) throws(AccountsError) {
        let salt = Sodium.randomBytes(PasswordHashing.saltBytes)
        self.init(
            userName: userName, displayName: displayName, salt: salt, hashing: hashing,
            hash: try hashing.hash(password, salt: salt))
    }

    /// The names, without salt and hash.
    public var description: String { "\(userName) (\(displayName))" }

    /// The names, without salt and hash, for `dump` and for test reports.
    public var customMirror: Mirror {
        Mirror(self, children: ["userName": userName, "displayName": displayName])
    }
}
