/// The cost of a password hash (Argon2id, RFC 9106, with one lane).
///
/// The parameters are stored with each hash, so that existing accounts keep working when the standard ones are raised.
public struct Argon2Parameters: Hashable, Sendable {
    /// The number of passes over the memory.
    public let passes: Int
    /// The memory of one hash, in units of 1024 bytes.
    public let kibibytes: Int

    /// 3 passes over 64 MiB: the second recommended option of RFC 9106, section 4, on one core.
    public static let standard = Argon2Parameters(uncheckedPasses: 3, kibibytes: 64 << 10)

    private static let maximumPasses = 16
    private static let memory = 8...(256 << 10)

    /// - Parameters:
    ///   - passes: 1 to 16.
    ///   - kibibytes: 8 to 262,144.
    /// - Throws: `invalidParameters` when one is out of range: a manipulated file must not be able to exhaust the
    ///   machine.
    public init(passes: Int, kibibytes: Int) throws(AccountsError) {
        guard (1...Self.maximumPasses).contains(passes), Self.memory.contains(kibibytes) else {
            throw AccountsError(
                .invalidParameters,
                "Argon2id with \(passes) passes over \(kibibytes) KiB is out of range: use 1...\(Self.maximumPasses) passes "
                    + "and \(Self.memory.lowerBound)...\(Self.memory.upperBound) KiB.")
        }
        self.init(uncheckedPasses: passes, kibibytes: kibibytes)
    }

    private init(uncheckedPasses: Int, kibibytes: Int) {
        passes = uncheckedPasses
        self.kibibytes = kibibytes
    }

    func hash(_ password: String, salt: [UInt8]) throws(AccountsError) -> [UInt8] {
        let hash = Sodium.argon2id(
            password, salt: salt, passes: passes, memory: kibibytes << 10, count: Sodium.passwordHashBytes)
        guard let hash else {
            throw AccountsError(
                .invalidParameters,
                "Argon2id with \(passes) passes over \(kibibytes) KiB failed: free that much memory and try again.")
        }
        return hash
    }
}
