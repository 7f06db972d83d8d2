import HashTreeCollections

/// What has changed in the container since a revision, in parts. A part is put together when it is asked for, so that no size of
/// the container stops the loop; the table that it was taken from may change meanwhile.
package struct DependencySnapshot: Sendable {
    /// The revision from which it leads on; 0 for all there is.
    package let previous: UInt64
    /// The revision that a peer has reached which has all of it.
    package let revision: UInt64
    private let entries: TreeDictionary<String, DependencyRecord>
    private let history: ArraySlice<DependencyPlace>
    /// Where the parts begin that are known so far: each is found with the one before it.
    private var starts: [Int]
    private var hasLast = false

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

    /// Whether it is made of few changes, and their entries have at most so many bytes: what that takes to find out does not grow.
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

    /// Puts a part together.
    /// - Parameters:
    ///   - number: counts the parts, from 0; one after a part that has been put together.
    ///   - size: the most bytes of a part; an entry that is larger has a part of its own.
    /// - Returns: the entries, and whether they are the last; `nil` when there is no such part, or it is not known where it begins.
    package mutating func part(
        _ number: UInt64, size maximum: Int
    ) -> (entries: [(key: String, value: [UInt8]?)], isLast: Bool)? {
        guard let number = Int(exactly: number), starts.indices.contains(number) else { return nil }
        var part: [(key: String, value: [UInt8]?)] = []
        var size = 0
        var place = starts[number]
        while place < history.endIndex {
            let change = history[place]
            // A key that has changed again stands further on.
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
