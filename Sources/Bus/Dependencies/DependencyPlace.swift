/// An entry's position in the order in which entries were last set.
package struct DependencyPlace: Codable, Hashable, Sendable {
    package var revision: UInt64
    package var key: String

    package init(revision: UInt64, key: String) {
        self.revision = revision
        self.key = key
    }
}
