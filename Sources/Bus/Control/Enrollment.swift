/// What a machine gets that hands in its own key.
package struct Enrollment: Codable, Hashable, Sendable {
    /// The name of its key. The names of its peers begin with it.
    package var name: String
    /// The role of its key.
    package var role: String

    package init(name: String, role: String) { (self.name, self.role) = (name, role) }
}
