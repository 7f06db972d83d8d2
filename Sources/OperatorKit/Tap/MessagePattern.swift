import Glibc

/// A shell pattern that selects the records of a monitor, such as `account*`.
///
/// It is matched against the message's name or, for a frame without a name, the frame's kind.
package struct MessagePattern: Hashable, Sendable {
    private let text: String

    package init(_ text: String) { self.text = text }

    package func matches(_ name: String) -> Bool {
        // A name comes from a peer, and a null character would end it early.
        fnmatch(text, name.replacing("\0", with: "\u{FFFD}"), 0) == 0
    }
}
