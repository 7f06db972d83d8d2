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

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
