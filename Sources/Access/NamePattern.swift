/// The name of a message, an entry, a service or a scene configuration, or the beginning of such names and a `*`.
package struct NamePattern: Hashable, Sendable, CustomStringConvertible {
    private let beginning: String
    private let isWhole: Bool

    /// - Returns: `nil` for an empty text, and for one with a `*` that is not at its end, or with other characters that no
    ///   name has.
    package init?(_ text: some StringProtocol) {
        let isWhole = !text.hasSuffix("*")
        let beginning = isWhole ? String(text) : String(text.dropLast())
        guard !text.isEmpty, text.utf8.count <= 255,
            !beginning.unicodeScalars.contains(where: { $0 == "*" || $0 == "#" || $0 == "=" || $0.value <= 0x20 })
        else { return nil }
        (self.beginning, self.isWhole) = (beginning, isWhole)
    }

    package func matches(_ name: String) -> Bool { isWhole ? name == beginning : name.hasPrefix(beginning) }

    /// Whether it is the name of one thing.
    package func names(_ name: String) -> Bool { isWhole && name == beginning }

    package var description: String { isWhole ? beginning : beginning + "*" }
}
