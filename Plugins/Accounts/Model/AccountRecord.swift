import Crypto

/// One account as it is stored: never the password, only its salted hash.
///
/// Not `Codable`, and its description leaves salt and hash out, so that neither slips onto the bus or into a log.
public struct AccountRecord: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The name the user logs in with.
    public let userName: String
    /// The name shown to others.
    public let displayName: String
    /// Random bytes that make equal passwords give different hashes.
    public let salt: [UInt8]
    /// How the hash was made.
    public let parameters: ScryptParameters
    /// The password's hash.
    public let hash: [UInt8]

    init(userName: String, displayName: String, salt: [UInt8], parameters: ScryptParameters, hash: [UInt8]) {
        self.userName = userName
        self.displayName = displayName
        self.salt = salt
        self.parameters = parameters
        self.hash = hash
    }

    init(
        userName: String, displayName: String, password: String, parameters: ScryptParameters
    ) throws(AccountsError) {
        var random = SystemRandomNumberGenerator()
        let salt = (0..<ScryptParameters.saltBytes).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let key = try parameters.hash(password, salt: salt)
        self.init(
            userName: userName, displayName: displayName, salt: salt, parameters: parameters,
            hash: key.withUnsafeBytes { Array($0) })
    }

    /// The names, without salt and hash.
    public var description: String { "\(userName) (\(displayName))" }

    /// The names, without salt and hash, for `dump` and for test reports.
    public var customMirror: Mirror {
        Mirror(self, children: ["userName": userName, "displayName": displayName])
    }
}
