import CSodium
import SceneContent

/// A random text of 256 bits that nobody can guess: a link's, or that of a browser that is logged in.
package struct ConsoleToken: Hashable, Sendable {
    /// 64 hexadecimal digits.
    package let text: String

    /// Makes a new token.
    package init() {
        _ = Self.isReady
        var bytes = [UInt8](repeating: 0, count: 32)
        randombytes_buf(&bytes, bytes.count)
        text = HexDigits.text(of: bytes)
    }

    /// Takes a token from outside.
    /// - Returns: `nil` for a text that cannot be one.
    package init?(_ text: some StringProtocol) {
        guard HexDigits.are256Bits(text) else { return nil }
        self.text = String(text)
    }

    /// What is kept of the token. Nobody can find the token with it.
    package var digest: TokenDigest { TokenDigest(text: HexDigits.sha256(of: text.utf8)) }

    /// What the forms of a browser with this token post, so that no other site can post in its name. It follows from the
    /// token alone, so the console need not keep it.
    package var formToken: String { HexDigits.sha256(of: "form \(text)".utf8) }

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
        return String(HexDigits.sha256(of: "post \(text) \(texts)".utf8).prefix(32))
    }

    private static let isReady: Void = precondition(sodium_init() >= 0, "libsodium cannot be initialized")
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
        guard HexDigits.are256Bits(text) else { return nil }
        self.text = String(text)
    }
}
