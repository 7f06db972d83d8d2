/// The error when a condition that a test waits for does not come true.
package struct NotReached: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
