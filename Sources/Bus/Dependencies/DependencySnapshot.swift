import HashTreeCollections

/// The changes of the container since a revision, in parts.
///
/// A part is assembled when it is requested, so that even a large container does not block the event loop. The
/// container from which the snapshot was taken may change meanwhile.
package struct DependencySnapshot: Sendable {
    /// The revision that the snapshot follows; 0 when it contains everything.
    package let previous: UInt64
    /// The revision that a peer has reached when it has received the whole snapshot.
    package let revision: UInt64
    private let entries: TreeDictionary<String, DependencyRecord>
    private let history: ArraySlice<DependencyPlace>
    /// The starts of the known parts. The start of a part becomes known when the part before it is assembled.
    private var starts: [Int]

    init(
        entries: TreeDictionary<String, DependencyRecord>, history: ArraySlice<DependencyPlace>, previous: UInt64,
        revision: UInt64
    ) {
        self.entries = entries
        self.history = history
        self.previous = previous
        self.revision = revision
        starts = [history.startIndex]
    }

    /// Returns a snapshot with some of the entries. It reaches the same revision.
    package func filter(_ isIncluded: (String) -> Bool) -> DependencySnapshot {
        DependencySnapshot(
            entries: entries, history: history.filter { isIncluded($0.key) }[...], previous: previous,
            revision: revision)
    }

    /// Returns whether the snapshot has at most `count` changes, with entries of at most `size` bytes in total. The
    /// cost of the check is bounded by `count`.
    package func fits(_ size: Int, changes count: Int) -> Bool {
        guard history.count <= count else { return false }
        var left = size
        for change in history {
            guard let entry = entries[change.key], entry.revision == change.revision else { continue }
            left -= DependencyPayload.size(of: entry.value, key: change.key)
            if left < 0 { return false }
        }
        return true
    }

    /// Assembles a part.
    /// - Parameters:
    ///   - number: the part's number, from 0. The part before it must have been assembled.
    ///   - size: the maximum size of a part, in bytes. An entry that is larger gets a part of its own.
    /// - Returns: the entries, and whether this is the last part; `nil` when there is no such part, or when its start
    ///   is not known yet.
    package mutating func part(
        _ number: UInt64, size maximum: Int
    ) -> (entries: [(key: String, value: [UInt8]?)], isLast: Bool)? {
        guard let number = Int(exactly: number), starts.indices.contains(number) else { return nil }
        var part: [(key: String, value: [UInt8]?)] = []
        var size = 0
        var place = starts[number]
        while place < history.endIndex {
            let change = history[place]
            // A key that has changed again appears at a later place.
            if let entry = entries[change.key], entry.revision == change.revision {
                let more = DependencyPayload.size(of: entry.value, key: change.key)
                if !part.isEmpty, size + more > maximum { break }
                part.append((change.key, entry.value))
                size += more
            }
            place += 1
        }
        let isLast = place == history.endIndex
        if number == starts.count - 1, !isLast { starts.append(place) }
        return (part, isLast)
    }
}
