/// The cost of a password hash made by an earlier version (scrypt, RFC 7914). New hashes use ``Argon2Parameters``.
public struct ScryptParameters: Hashable, Sendable {
    /// The binary logarithm of scrypt's N, the number of memory blocks.
    public let costExponent: Int
    /// scrypt's r, the size of a block in units of 128 bytes.
    public let blockSize: Int
    /// scrypt's p, the number of times the work is repeated in sequence.
    public let parallelism: Int

    private static let maximumMemory = 256 << 20
    private static let maximumWork = 1 << 30

    /// - Parameters:
    ///   - costExponent: 1 to 20, and less than 16 times the block size.
    ///   - blockSize: 1 to 16.
    ///   - parallelism: 1 to 16.
    /// - Throws: `invalidParameters` when one is out of range, when a hash would need more than 256 MiB, or when memory
    ///   times parallelism exceeds 1 GiB: a manipulated file must not be able to exhaust the machine.
    public init(costExponent: Int, blockSize: Int, parallelism: Int) throws(AccountsError) {
        guard (1...20).contains(costExponent), (1...16).contains(blockSize), (1...16).contains(parallelism),
            costExponent < 16 * blockSize
        else {
            throw AccountsError(
                .invalidParameters,
                "scrypt with cost exponent \(costExponent), block size \(blockSize), parallelism \(parallelism) is "
                    + "out of range: use 1...20 (less than 16 times the block size), 1...16 and 1...16.")
        }
        let memory = (128 << costExponent) * blockSize
        guard memory <= Self.maximumMemory, memory * parallelism <= Self.maximumWork else {
            throw AccountsError(
                .invalidParameters,
                "scrypt with cost exponent \(costExponent), block size \(blockSize), parallelism \(parallelism) is "
                    + "too expensive: keep 128 * 2^cost * block size within \(Self.maximumMemory) bytes, and that "
                    + "times parallelism within \(Self.maximumWork).")
        }
        self.init(uncheckedCostExponent: costExponent, blockSize: blockSize, parallelism: parallelism)
    }

    private init(uncheckedCostExponent: Int, blockSize: Int, parallelism: Int) {
        self.costExponent = uncheckedCostExponent
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    func hash(_ password: String, salt: [UInt8]) throws(AccountsError) -> [UInt8] {
        let hash = Sodium.scrypt(
            password, salt: salt, rounds: 1 << costExponent, blockSize: blockSize, parallelism: parallelism,
            count: Sodium.passwordHashBytes)
        guard let hash else {
            throw AccountsError(
                .invalidParameters,
                "scrypt with cost exponent \(costExponent), block size \(blockSize), parallelism \(parallelism) "
                    + "failed: free \((128 << costExponent) * blockSize) bytes of memory and try again.")
        }
        return hash
    }
}
