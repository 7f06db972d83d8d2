/// The function that hashes a password, with its cost.
public enum PasswordHashing: Hashable, Sendable {
    case argon2id(Argon2Parameters)
    /// Used by earlier versions. Such a hash is replaced when the account's user logs in.
    case scrypt(ScryptParameters)

    /// How new passwords are hashed.
    public static let standard = PasswordHashing.argon2id(.standard)

    static let saltBytes = 16
    static let hashBytes = 32

    func hash(_ password: String, salt: [UInt8]) throws(AccountsError) -> [UInt8] {
        switch self {
        case .argon2id(let parameters): try parameters.hash(password, salt: salt)
        case .scrypt(let parameters): try parameters.hash(password, salt: salt)
        }
    }
}
