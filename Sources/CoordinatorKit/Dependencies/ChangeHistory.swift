/// The last changes of a container, the newest first. Two containers of which one comes from the other share the rest of it,
/// so that what they differ in is found without a look at every entry.
struct ChangeHistory: Sendable {
    private final class Change: Sendable {
        let key: String
        let previous: Change?
        /// How many there are before this one.
        let depth: Int

        init(key: String, previous: Change?) {
            self.key = key
            self.previous = previous
            depth = previous.map { $0.depth + 1 } ?? 0
        }
    }

    /// Changes that are kept: a container that has changed more often since is compared entry by entry.
    private static let length = 128

    private var last: Change?

    mutating func add(_ key: String) {
        last = Change(key: key, previous: last.flatMap { $0.depth < Self.length ? $0 : nil })
    }

    /// The keys that were set since a container was as it was.
    /// - Returns: `nil` when this does not come from it, or comes from it too long ago.
    func keys(since old: ChangeHistory) -> Set<String>? {
        // Everything comes from a container that was never changed, but histories are cut: their end tells nothing.
        guard let end = old.last else { return last == nil ? [] : nil }
        var keys: Set<String> = []
        var change = last
        while change !== end {
            guard let this = change else { return nil }
            keys.insert(this.key)
            change = this.previous
        }
        return keys
    }
}
