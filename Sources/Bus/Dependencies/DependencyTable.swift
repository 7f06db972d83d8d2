/// The host's container as the bus sees it: encoded entries, each with the revision that set it last.
package struct DependencyTable: Sendable {
    package struct Entry: Hashable, Sendable {
        /// The encoded value; `nil` for an entry that was removed, kept so that a removal is not missed.
        package var value: [UInt8]?
        package var revision: UInt64
        /// The peer that set it; empty for the host itself.
        package var owner: String
    }

    package private(set) var entries: [String: Entry] = [:]
    /// The revision of the last change.
    package private(set) var revision: UInt64 = 0

    package init() {}

    /// Sets or removes entries in one step.
    /// - Returns: what to publish; `nil` when nothing is different from before.
    package mutating func apply(_ changes: [String: [UInt8]?], owner: String) -> DependencyChange? {
        let real = changes.filter { key, value in
            // What this life has not known a peer may have from the one before.
            entries[key].map { $0.value != value } ?? true
        }
        guard !real.isEmpty else { return nil }
        let before = revision
        revision += 1
        for (key, value) in real {
            entries[key] = Entry(value: value, revision: revision, owner: owner)
        }
        return DependencyChange(entries: real, revision: revision, previous: before)
    }

    /// Everything that changed after a revision, as one step. From revision 0: all there is, and what is there no more.
    package func changes(after known: UInt64) -> DependencyChange {
        let newer = entries.filter { $0.value.revision > known }
        return DependencyChange(entries: newer.mapValues(\.value), revision: revision, previous: known)
    }
}

/// One step of the container: the entries that changed, and the revisions before and after.
package struct DependencyChange: Hashable, Sendable {
    /// Encoded values; `nil` for an entry that was removed.
    package var entries: [String: [UInt8]?]
    package var revision: UInt64
    package var previous: UInt64

    package init(entries: [String: [UInt8]?], revision: UInt64, previous: UInt64) {
        self.entries = entries
        self.revision = revision
        self.previous = previous
    }
}
