package import HashTreeCollections

/// The host's container as the bus sees it: encoded entries, each with the revision that set it last.
package struct DependencyTable: Sendable {
    /// A tree: a snapshot shares it while the table goes on to change.
    package private(set) var entries: TreeDictionary<String, DependencyRecord> = [:]
    /// The revision of the last change.
    package private(set) var revision: UInt64 = 0
    /// The changes in order, so that what is newer than a revision is found without a look at what is older. A key that has
    /// changed again since has left a place behind, which is passed over.
    private(set) var history: [DependencyPlace] = []

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
        for (key, value) in real.count == 1 ? Array(real) : real.sorted(by: { $0.key < $1.key }) {
            entries[key] = DependencyRecord(value: value, revision: revision, owner: owner)
            history.append(DependencyPlace(revision: revision, key: key))
        }
        compact()
        return DependencyChange(entries: real, revision: revision, previous: before)
    }

    /// Makes a peer the owner of entries that are there, also of those that it has set to what they were.
    package mutating func own(_ keys: some Sequence<String>, by owner: String) {
        for key in keys where entries[key]?.value != nil && entries[key]?.owner != owner { entries[key]?.owner = owner }
    }

    /// An entry; `nil` when it has never been there.
    package func entry(of key: String) -> DependencyRecord? { entries[key] }

    /// Removes the places that changed keys have left behind, once there are as many of them as of others.
    private mutating func compact() {
        guard history.count > 2 * entries.count + 64 else { return }
        history.removeAll { entries[$0.key]?.revision != $0.revision }
    }

    /// Everything that changed after a revision, as one step in parts. From revision 0: all there is, and what is there no more.
    package func snapshot(after known: UInt64) -> DependencySnapshot {
        DependencySnapshot(
            entries: entries, history: history[firstChange(after: known, "")...], previous: known, revision: revision)
    }

    /// Some of the entries that are there, in the order in which they were set.
    /// - Parameters:
    ///   - revision: of the last entry that is known already; 0 for none.
    ///   - key: that entry's key.
    ///   - size: the most bytes of keys and values; an entry that is larger comes alone.
    ///   - count: the most entries.
    /// - Returns: the entries; and whether there are more.
    package func list(
        after revision: UInt64, _ key: String, size: Int, count: Int
    ) -> (entries: [(key: String, entry: DependencyRecord)], hasMore: Bool) {
        var found: [(key: String, entry: DependencyRecord)] = []
        var bytes = 0
        for place in history[firstChange(after: revision, key)...] {
            guard let entry = entries[place.key], entry.revision == place.revision, let value = entry.value else {
                continue
            }
            bytes += place.key.utf8.count + value.count
            guard found.isEmpty || found.count < count && bytes <= size else { return (found, true) }
            found.append((place.key, entry))
        }
        return (found, false)
    }

    /// The place of the first change after that of a key in a revision.
    private func firstChange(after revision: UInt64, _ key: String) -> Int {
        var (low, high) = (0, history.count)
        while low < high {
            let middle = (low + high) / 2
            let change = history[middle]
            let isAfter = change.revision > revision || change.revision == revision && !key.isEmpty && change.key > key
            if isAfter { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
