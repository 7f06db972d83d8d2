import CSodium

/// The functions of libsodium that the accounts need, with Swift types.
enum Sodium {
    /// Whether libsodium is initialized, which selects the fastest implementations for this machine. Every function
    /// here checks it first.
    private static let isReady = sodium_init() >= 0

    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        ready()
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_bytes()))
        crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return digest
    }

    /// HMAC-SHA-256.
    /// - Parameter key: 32 bytes.
    static func authenticationCode(for bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        ready()
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_bytes()))
        crypto_auth_hmacsha256(&code, bytes, UInt64(bytes.count), key)
        return code
    }

    /// Compares two byte arrays in a time that depends only on their lengths.
    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && sodium_memcmp(left, right, left.count) == 0
    }

    static func randomBytes(_ count: Int) -> [UInt8] {
        ready()
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        return bytes
    }

    /// Argon2id (RFC 9106) with one lane.
    /// - Parameter salt: 16 bytes.
    /// - Returns: The hash; `nil` when there is not enough memory.
    static func argon2id(_ password: [UInt8], salt: [UInt8], passes: Int, memory: Int, count: Int) -> [UInt8]? {
        ready()
        var hash = [UInt8](repeating: 0, count: count)
        // An empty array has no base address.
        let characters = password.map { CChar(bitPattern: $0) } + [0]
        let result = crypto_pwhash(
            &hash, UInt64(count), characters, UInt64(password.count), salt, UInt64(passes), memory,
            crypto_pwhash_ALG_ARGON2ID13)
        return result == 0 ? hash : nil
    }

    /// scrypt (RFC 7914).
    /// - Returns: The hash; `nil` when there is not enough memory.
    static func scrypt(
        _ password: [UInt8], salt: [UInt8], rounds: Int, blockSize: Int, parallelism: Int, count: Int
    ) -> [UInt8]? {
        ready()
        var hash = [UInt8](repeating: 0, count: count)
        let result = crypto_pwhash_scryptsalsa208sha256_ll(
            password, password.count, salt, salt.count, UInt64(rounds), UInt32(blockSize), UInt32(parallelism), &hash,
            count)
        return result == 0 ? hash : nil
    }

    private static func ready() {
        precondition(isReady, "libsodium cannot be initialized: the system provides no random numbers")
    }
}
