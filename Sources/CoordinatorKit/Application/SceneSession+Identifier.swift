extension SceneSession {
    /// Makes a session identifier: 8 characters that are easy to read aloud and to type.
    package static func newIdentifier() -> String {
        let letters = Array("23456789abcdefghjkmnpqrstuvwxyz")
        var random = SystemRandomNumberGenerator()
        return String((0..<8).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
    }

    /// What an identifier consists of, in words.
    package nonisolated static let identifierRule =
        "1 to 64 lowercase letters, digits and hyphens, and does not begin with a hyphen"

    /// Returns whether a text follows the ``identifierRule``. Identifiers are typed, logged, and parts of addresses of
    /// others, so none of their characters has a meaning in a shell or in a URL.
    package nonisolated static func isIdentifier(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
            }
    }
}
