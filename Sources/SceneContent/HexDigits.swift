import CSodium

/// Bytes as hexadecimal digits in lower case, two for each.
package enum HexDigits {
    package static func text(of bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The SHA-256 of bytes, as 64 digits.
    package static func sha256(of bytes: some Sequence<UInt8>) -> String {
        _ = isReady
        let bytes = Array(bytes)
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_bytes()))
        crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return text(of: digest)
    }

    /// Whether a text has the digits of 256 bits, and nothing else.
    package static func are256Bits(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { digits.contains($0) }
    }

    private static let digits = Array("0123456789abcdef".utf8)
    private static let isReady: Void = precondition(sodium_init() >= 0, "libsodium cannot be initialized")
}
