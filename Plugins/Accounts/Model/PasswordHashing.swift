/// The function that hashes a password, with its cost.
public enum PasswordHashing: Hashable, Sendable {
    case argon2id(Argon2Parameters)
    /// Used by earlier versions. Such a hash is replaced when the account's user logs in.
    case scrypt(ScryptParameters)

    /// How new passwords are hashed.
    public static let standard = PasswordHashing.argon2id(.standard)

    static let saltBytes = Sodium.passwordSaltBytes
    static let hashBytes = Sodium.passwordHashBytes

    func hash(_ password: String, salt: [UInt8]) throws(AccountsError) -> [UInt8] {
        switch self {
        case .argon2id(let parameters): try parameters.hash(password, salt: salt)
        case .scrypt(let parameters): try parameters.hash(password, salt: salt)
        }
    }

    /// Whether a hash of this kind should be replaced by one of the other kind, because it was made by an earlier
    /// function, or by the same function at a lower cost. A hash is never replaced by a weaker one.
    func isWeaker(than other: PasswordHashing) -> Bool {
        switch (self, other) {
        case (.scrypt, .argon2id): true
        case (.argon2id(let own), .argon2id(let other)):
            own != other && own.passes <= other.passes && own.kibibytes <= other.kibibytes
        default: false
        }
    }
}
