import CSodium

/// A random text of 256 bits that nobody can guess: a link's, or that of a browser that is logged in.
package struct ConsoleToken: Hashable, Sendable {
    /// 64 hexadecimal digits.
    package let text: String

    /// Makes a new token.
    package init() {
        _ = Self.isReady
        var bytes = [UInt8](repeating: 0, count: 32)
        randombytes_buf(&bytes, bytes.count)
        text = Self.hexadecimal(bytes)
    }

    /// Takes a token from outside.
    /// - Returns: `nil` for a text that cannot be one.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 64, text.utf8.allSatisfy(Self.isDigit) else { return nil }
        self.text = String(text)
    }

    /// What is kept of the token. Nobody can find the token with it.
    package var digest: TokenDigest { TokenDigest(text: Self.sha256(text)) }

    /// What the forms of a browser with this token post, so that no other site can post in its name. It follows from the
    /// token alone, so the console need not keep it.
    package var formToken: String { Self.sha256("form " + text) }

    /// Whether a form has posted this token's ``formToken``. It takes the same time wherever the texts differ.
    package func isFormToken(_ posted: String) -> Bool {
        let (own, posted) = (Array(formToken.utf8), Array(posted.utf8))
        return own.count == posted.count && sodium_memcmp(own, posted, own.count) == 0
    }

    /// What identifies a form that a browser with this token has posted: the same for one that is posted again, and another one for each
    /// difference. Nobody else can have the same one posted.
    /// - Returns: 32 hexadecimal digits.
    package func identifier(of posted: [String]) -> String {
        let texts = posted.map { "\($0.utf8.count) \($0)" }.joined(separator: " ")
        return String(Self.sha256("post \(text) \(texts)").prefix(32))
    }

    private static let isReady: Void = precondition(sodium_init() >= 0, "libsodium cannot be initialized")

    private static func sha256(_ text: String) -> String {
        _ = isReady
        let bytes = Array(text.utf8)
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_bytes()))
        crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return hexadecimal(digest)
    }

    /// Bytes as two digits each.
    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    fileprivate static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}

extension ConsoleToken: CustomStringConvertible {
    package var description: String { "a token" }
}

/// The SHA-256 of a token, by which it is recognized.
package struct TokenDigest: Hashable, Sendable {
    /// 64 hexadecimal digits.
    package let text: String

    fileprivate init(text: String) { self.text = text }

    /// Reads a digest that was kept; `nil` for a text that is none.
    init?(kept text: some StringProtocol) {
        guard text.utf8.count == 64, text.utf8.allSatisfy(ConsoleToken.isDigit) else { return nil }
        self.text = String(text)
    }
}
