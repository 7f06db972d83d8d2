/// Which records a monitor shows: a name with `*` for any text, such as `account*`, matched against the message's name or,
/// for frames without one, the kind.
package struct MessagePattern: Hashable, Sendable {
    private let parts: [Substring]
    private let text: String

    package init(_ text: String) {
        self.text = text
        parts = text.split(separator: "*", omittingEmptySubsequences: false)
    }

    package func matches(_ name: String) -> Bool {
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return name == text }
        guard name.count >= first.count + last.count, name.hasPrefix(first), name.hasSuffix(last) else { return false }
        var rest = name.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }
}
