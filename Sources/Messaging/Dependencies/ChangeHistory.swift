import Synchronization

/// The last changes of a container, the newest first. Two containers of which one comes from the other share the rest of it,
/// so that what they differ in is found without a look at every entry.
struct ChangeHistory: Sendable {
    private final class Change: Sendable {
        let key: String
        /// Tells the change from every other one of this process, also where it is copied.
        let number: UInt64
        let previous: Change?
        /// How many there are before this one.
        let depth: Int

        init(key: String, number: UInt64, previous: Change?) {
            self.key = key
            self.number = number
            self.previous = previous
            depth = previous.map { $0.depth + 1 } ?? 0
        }
    }

    /// Changes that are kept at least: a container that has changed more often since is compared entry by entry.
    private static let length = 128
    private static let lastNumber = Atomic<UInt64>(0)

    private var last: Change?

    mutating func add(_ key: String) {
        let number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        last = Change(
            key: key, number: number, previous: last.map { $0.depth < 2 * Self.length ? $0 : Self.newest(of: $0) })
    }

    /// The last changes alone, so that those before them are freed.
    private static func newest(of change: Change) -> Change {
        var changes: [Change] = []
        var next: Change? = change
        while changes.count < length, let this = next {
            changes.append(this)
            next = this.previous
        }
        var copy: Change?
        for change in changes.reversed() { copy = Change(key: change.key, number: change.number, previous: copy) }
        return copy ?? change
    }

    /// The keys that were set since a container was as it was.
    /// - Returns: `nil` when this does not come from it, or comes from it too long ago.
    func keys(since old: ChangeHistory) -> Set<String>? {
        // Everything comes from a container that was never changed, but histories are cut: their end tells nothing.
        guard let end = old.last else { return last == nil ? [] : nil }
        var keys: Set<String> = []
        var change = last
        while change?.number != end.number {
            guard let this = change else { return nil }
            keys.insert(this.key)
            change = this.previous
        }
        return keys
    }
}
