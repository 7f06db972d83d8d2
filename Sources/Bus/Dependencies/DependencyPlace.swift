/// An entry's place in the order in which entries were set last.
package struct DependencyPlace: Codable, Hashable, Sendable {
    package var revision: UInt64
    package var key: String

    package init(revision: UInt64, key: String) {
        self.revision = revision
        self.key = key
    }
}
