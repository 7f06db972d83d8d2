/// A folder that cannot be used, and why.
package struct FolderError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Sendable {
        /// It is not there.
        case missing
        /// Others could put something else in its place, or into it.
        case unsafe
        /// It cannot be used as it is.
        case unusable
    }

    package let code: Code
    package let description: String
    /// The other user that it, or one above it, belongs to; `nil` where that is not what is wrong.
    let owner: UInt32?

    init(_ code: Code, _ description: String, owner: UInt32? = nil) {
        self.code = code
        self.description = description
        self.owner = owner
    }
}
