/// What a test waited for, and did not come.
package struct NotReached: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
