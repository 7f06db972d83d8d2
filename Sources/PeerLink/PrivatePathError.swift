/// An error about a file or a folder that must be this user's alone. It says what is wrong, and how to fix it.
package struct PrivatePathError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Sendable {
        /// It does not exist.
        case missing
        /// Other users could read or replace it, or put something into it.
        case unsafe
        /// It cannot be used for another reason.
        case unusable
    }

    package let code: Code
    package let description: String
    /// The other user who owns it or one of its parents; `nil` when ownership is not the problem.
    let owner: UInt32?

    package init(_ code: Code, _ description: String, owner: UInt32? = nil) {
        self.code = code
        self.description = description
        self.owner = owner
    }
}
