/// The headers that each answer of the console has.
package enum ResponseHeaders {
    /// Who may keep an answer for ever. Its address then changes with its content.
    package enum Keeping: String, Sendable {
        case nobody = "no-store"
        /// The browser, and no proxy before it.
        case reader = "private, max-age=31536000, immutable"
        case everybody = "public, max-age=31536000, immutable"
    }

    /// The policy of an image, should a browser show it as a page: whatever its bytes are, they run nothing and load nothing.
    package static let imagePolicy = "default-src 'none'; sandbox; frame-ancestors 'none'"

    /// - Parameters:
    ///   - policy: the content security policy.
    ///   - hidesAddress: whether no other request may say the address, because there is a key in it.
    package static func all(
        policy: String, keeping: Keeping = .nobody, hidesAddress: Bool = false
    ) -> [(name: String, value: String)] {
        [
            ("Content-Security-Policy", policy),
            ("X-Content-Type-Options", "nosniff"),
            // With 'no-referrer' browsers would leave out from which page a form comes, which the console checks.
            ("Referrer-Policy", hidesAddress ? "no-referrer" : "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Permissions-Policy", "camera=(), microphone=(), geolocation=()"),
            ("Cache-Control", keeping.rawValue),
        ]
    }
}
