/// The error of a failed command of the lab.
package struct LabError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
