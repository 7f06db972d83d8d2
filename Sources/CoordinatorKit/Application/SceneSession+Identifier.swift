extension SceneSession {
    /// Makes a session identifier: 8 characters that are easy to read aloud and to type.
    package static func newIdentifier() -> String {
        let letters = Array("23456789abcdefghjkmnpqrstuvwxyz")
        var random = SystemRandomNumberGenerator()
        return String((0..<8).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
    }
}
