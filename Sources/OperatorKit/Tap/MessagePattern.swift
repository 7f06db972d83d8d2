import Glibc

/// Which records a monitor shows: a pattern as the shell has it, such as `account*`, matched against the message's name or, for
/// frames without one, the kind.
package struct MessagePattern: Hashable, Sendable {
    private let text: String

    package init(_ text: String) { self.text = text }

    package func matches(_ name: String) -> Bool { fnmatch(text, name, 0) == 0 }
}
