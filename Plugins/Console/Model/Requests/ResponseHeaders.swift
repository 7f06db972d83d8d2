/// The headers that each answer of the console has.
package enum ResponseHeaders {
    /// Who may keep an answer. Its address then changes with its content.
    package enum Keeping: String, Sendable {
        case nobody = "no-store"
        /// The browser, and no proxy before it, for an hour: whoever uses the browser after that asks anew. To have browsers forget
        /// it when their readers log out would take seconds, because they search all that they keep.
        case reader = "private, max-age=3600"
        /// For ever.
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
