/// An error about a folder that cannot be used.
package struct FolderError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Sendable {
        /// The folder does not exist.
        case missing
        /// Other users could replace the folder, or put something into it.
        case unsafe
        /// The folder cannot be used for another reason.
        case unusable
    }

    package let code: Code
    package let description: String
    /// The other user who owns the folder or one of its parents; `nil` when ownership is not the problem.
    let owner: UInt32?

    init(_ code: Code, _ description: String, owner: UInt32? = nil) {
        self.code = code
        self.description = description
        self.owner = owner
    }
}
