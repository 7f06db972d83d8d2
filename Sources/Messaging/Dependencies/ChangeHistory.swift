import Synchronization

/// The most recent changes of a container, as a linked list with the newest first. A container that derives from
/// another one shares the older part of the list, so their differences are found without comparing every entry.
struct ChangeHistory: Sendable {
    private final class Change: Sendable {
        let key: String
        /// Identifies the change within this process. Copies of a change have the same number.
        let number: UInt64
        let previous: Change?
        /// The number of changes before this one.
        let depth: Int

        init(key: String, number: UInt64, previous: Change?) {
            self.key = key
            self.number = number
            self.previous = previous
            depth = previous.map { $0.depth + 1 } ?? 0
        }
    }

    /// The minimum number of changes that are kept. If the changes between two containers are no longer kept, the
    /// containers are compared entry by entry.
    private static let length = 128
    private static let lastNumber = Atomic<UInt64>(0)

    private var last: Change?

    mutating func add(_ key: String) {
        let number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        last = Change(
            key: key, number: number, previous: last.map { $0.depth < 2 * Self.length ? $0 : Self.newest(of: $0) })
    }

    /// A copy of the most recent changes, so that the older ones are released.
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

    /// The keys that were set since an older state of the container.
    /// - Returns: The keys; `nil` if this history does not derive from the older one, or has dropped the changes since
    ///   then.
    func keys(since old: ChangeHistory) -> Set<String>? {
        // Every container derives from one without changes, but the oldest changes may have been dropped, so the list
        // does not contain all of them.
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
