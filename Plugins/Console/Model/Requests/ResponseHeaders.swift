/// The headers that each answer of the console has.
package enum ResponseHeaders {
    /// - Parameters:
    ///   - policy: the content security policy.
    ///   - isKept: whether browsers may keep the answer for ever. Its address then changes with its content.
    ///   - hidesAddress: whether no other request may say the address, because there is a key in it.
    package static func all(
        policy: String, isKept: Bool = false, hidesAddress: Bool = false
    ) -> [(name: String, value: String)] {
        [
            ("Content-Security-Policy", policy),
            ("X-Content-Type-Options", "nosniff"),
            // With 'no-referrer' browsers would leave out from which page a form comes, which the console checks.
            ("Referrer-Policy", hidesAddress ? "no-referrer" : "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Permissions-Policy", "camera=(), microphone=(), geolocation=()"),
            ("Cache-Control", isKept ? "public, max-age=31536000, immutable" : "no-store"),
        ]
    }
}
