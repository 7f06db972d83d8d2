import Glibc

/// A shell pattern that selects the records of a monitor, such as `account*`.
///
/// It is matched against the message's name or, for a frame without a name, the frame's kind.
package struct MessagePattern: Hashable, Sendable {
    private let text: String

    package init(_ text: String) { self.text = text }

    package func matches(_ name: String) -> Bool { fnmatch(text, name, 0) == 0 }
}
