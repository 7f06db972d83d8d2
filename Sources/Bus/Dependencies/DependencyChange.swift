/// A change of the container: the entries that changed, and the revisions before and after.
package struct DependencyChange: Hashable, Sendable {
    /// Encoded values by key; `nil` for an entry that was removed.
    package var entries: DependencyEntries
    package var revision: UInt64
    package var previous: UInt64

    package init(entries: DependencyEntries, revision: UInt64, previous: UInt64) {
        self.entries = entries
        self.revision = revision
        self.previous = previous
    }
}
