// A build without the trait has no console.
#if Console
    /// The fields of the control room's first screen, in a page.
    enum LoginFields {
        static let name = "input[name='field.username']"
        static let password = "input[name='field.password']"

        /// A property of the field of the user's name.
        static func property(_ name: String, of browser: Browser) async throws -> String {
            try await browser.value(of: "document.querySelector(\"\(Self.name)\").\(name)")
        }
    }
#endif
