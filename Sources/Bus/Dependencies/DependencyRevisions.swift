package import HashTreeCollections

/// The host's container as the bus sees it: encoded entries, each with the revision that last set it.
package struct DependencyRevisions: Sendable {
    /// A tree, which a snapshot can share while it continues to change here.
    package private(set) var entries: TreeDictionary<String, DependencyRecord> = [:]
    /// The revision of the last change.
    package private(set) var revision: UInt64 = 0
    /// The changes in order, so that the changes after a revision are found without visiting older ones. A key that has
    /// changed again leaves its old place behind, which readers skip.
    private(set) var history: [DependencyPlace] = []
    /// The approximate size of the removed entries that are kept, in bytes.
    private(set) var removedSize = 0
    /// The revision up to which removed entries were forgotten. A peer with an older copy gets everything instead of the
    /// changes.
    private(set) var floor: UInt64 = 0
    /// The maximum size of the removed entries that are kept, in bytes.
    private let maximumRemovedSize: Int
    /// What a removed entry needs besides its key.
    private static let overhead = 128

    /// - Parameter maximumRemovedSize: the maximum size of the removed entries that are kept for peers with an older copy,
    ///   in bytes.
    package init(maximumRemovedSize: Int = 1 << 20) { self.maximumRemovedSize = maximumRemovedSize }

    /// Sets or removes entries in one step.
    /// - Returns: the change to publish; `nil` when nothing differs from before.
    package mutating func apply(_ changes: [String: [UInt8]?], owner: String) -> DependencyChange? {
        let real = changes.filter { key, value in
            // The removal of an unknown key is a change, too: a peer may have the entry from an earlier life of the
            // host.
            entries[key].map { $0.value != value } ?? true
        }
        guard !real.isEmpty else { return nil }
        let before = revision
        revision += 1
        for (key, value) in real.count == 1 ? Array(real) : real.sorted(by: { $0.key < $1.key }) {
            let size = Self.overhead + key.utf8.count
            if let old = entries[key], old.value == nil { removedSize -= size }
            if value == nil { removedSize += size }
            entries[key] = DependencyRecord(value: value, revision: revision, owner: owner)
            history.append(DependencyPlace(revision: revision, key: key))
        }
        forgetRemoved()
        compact()
        return DependencyChange(entries: DependencyEntries(real), revision: revision, previous: before)
    }

    /// Makes a peer the owner of existing entries, including those that it has set to the value that they already had.
    package mutating func own(_ keys: some Sequence<String>, by owner: String) {
        for key in keys where entries[key]?.value != nil && entries[key]?.owner != owner { entries[key]?.owner = owner }
    }

    /// Returns the record of an entry; `nil` when the entry has never existed.
    package func entry(of key: String) -> DependencyRecord? { entries[key] }

    /// Forgets the removals that are oldest, once too much is kept of them. Otherwise each key that was ever set would stay
    /// for the life of the host, and go to each new peer.
    private mutating func forgetRemoved() {
        guard removedSize > maximumRemovedSize else { return }
        for place in history {
            guard removedSize > maximumRemovedSize / 2 else { break }
            guard let entry = entries[place.key], entry.value == nil, entry.revision == place.revision else { continue }
            entries[place.key] = nil
            removedSize -= Self.overhead + place.key.utf8.count
            floor = place.revision
        }
        history.removeAll { entries[$0.key]?.revision != $0.revision }
    }

    /// Removes the places that changed keys have left behind, once there are more of them than entries.
    private mutating func compact() {
        guard history.count > 2 * entries.count + 64 else { return }
        history.removeAll { entries[$0.key]?.revision != $0.revision }
    }

    /// Returns everything that changed after a revision, as one change in parts. From revision 0, this is every entry,
    /// including the removed ones that are still known. If removals after the revision were forgotten, the result follows
    /// revision 0 and replaces what the peer has.
    package func snapshot(after known: UInt64) -> DependencySnapshot {
        let known = known < floor ? 0 : known
        return DependencySnapshot(
            entries: entries, history: history[firstChange(after: known, "")...], previous: known, revision: revision)
    }

    /// Returns some of the existing entries, in the order in which they were last set.
    /// - Parameters:
    ///   - revision: the revision of the last entry that is already known; 0 for none.
    ///   - key: that entry's key.
    ///   - size: the maximum size of keys and values, in bytes. An entry that is larger is returned alone.
    ///   - count: the maximum number of entries.
    /// - Returns: the entries, and whether there are more.
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

    /// The index of the first change that follows a key's change in a revision. With an empty key, it is the index of
    /// the first change after the revision.
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
