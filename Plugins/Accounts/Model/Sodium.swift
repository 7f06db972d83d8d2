import CSodium

/// The functions of libsodium that the accounts need, with Swift types.
enum Sodium {
    /// The lengths of a password's salt and of its hash.
    static let passwordSaltBytes = 16
    static let passwordHashBytes = 32

    /// Whether libsodium is initialized, which selects the fastest implementations for this machine.
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
        precondition(key.count == Int(crypto_auth_hmacsha256_keybytes()), "HMAC-SHA-256 takes a key of 32 bytes")
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
    static func argon2id(_ password: String, salt: [UInt8], passes: Int, memory: Int, count: Int) -> [UInt8]? {
        ready()
        precondition(salt.count == passwordSaltBytes && count >= 16, "Argon2id takes a salt of 16 bytes")
        var hash = [UInt8](repeating: 0, count: count)
        let result = withBytes(of: password) { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                crypto_pwhash(
                    &hash, UInt64(count), characters.baseAddress!, UInt64(password.utf8.count), salt, UInt64(passes),
                    memory, crypto_pwhash_ALG_ARGON2ID13)
            }
        }
        return result == 0 ? hash : nil
    }

    /// Calls a body with the bytes of a password, without leaving a copy of them in memory. There is always at least one byte, so
    /// that the buffer has an address.
    private static func withBytes<Result>(of password: String, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Result)
        -> Result
    {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(1, password.utf8.count)) { buffer in
            buffer.initialize(repeating: 0)
            _ = buffer.update(fromContentsOf: password.utf8)
            defer { sodium_memzero(buffer.baseAddress, buffer.count) }
            return body(buffer)
        }
    }

    /// scrypt (RFC 7914).
    /// - Returns: The hash; `nil` when there is not enough memory.
    static func scrypt(
        _ password: String, salt: [UInt8], rounds: Int, blockSize: Int, parallelism: Int, count: Int
    ) -> [UInt8]? {
        ready()
        var hash = [UInt8](repeating: 0, count: count)
        // No account has an empty password, but checking one must take as long as checking any other. It is hashed as a
        // zero byte.
        let result = withBytes(of: password) { bytes in
            crypto_pwhash_scryptsalsa208sha256_ll(
                bytes.baseAddress!, bytes.count, salt, salt.count, UInt64(rounds), UInt32(blockSize),
                UInt32(parallelism), &hash, count)
        }
        return result == 0 ? hash : nil
    }

    private static func ready() {
        precondition(isReady, "libsodium cannot be initialized")
    }
}
