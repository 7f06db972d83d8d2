/// The open sessions in the order in which they were opened.
///
/// A closed session leaves a gap. The gaps are removed when they are more than half of the entries, so that the average
/// cost of opening and closing a session does not depend on the number of sessions.
struct SessionOrder {
    /// A session's place in the order. It remains valid after the session is closed, so that a list can continue from
    /// it.
    struct Key: Hashable, Comparable, CustomStringConvertible {
        let position: Int64
        let id: String

        init(position: Int64, id: String) {
            self.position = position
            self.id = id
        }

        /// - Parameter text: the ``description`` of a key.
        init?(_ text: String) {
            guard let position = Int64(text) else { return nil }
            self.init(position: position, id: Self.lastID)
        }

        /// No session's identifier comes after it.
        private static let lastID = "\u{10FFFF}"

        /// The position, which no other session has. Whoever reads it may not know the identifier.
        var description: String { "\(position)" }

        static func < (left: Key, right: Key) -> Bool {
            (left.position, left.id) < (right.position, right.id)
        }
    }

    private var entries: [(key: Key, isOpen: Bool)] = []
    private var gaps = 0

    init() {}

    /// The ids of all open sessions, in order.
    var ids: [String] { entries.compactMap { $0.isOpen ? $0.key.id : nil } }

    mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

    mutating func insert(_ key: Key) {
        // Nearly always the new key is the largest.
        guard let last = entries.last, key <= last.key else { return entries.append((key, true)) }
        let index = index(of: key)
        guard entries[index].key == key else { return entries.insert((key, true), at: index) }
        if !entries[index].isOpen { gaps -= 1 }
        entries[index].isOpen = true
    }

    mutating func remove(_ key: Key) {
        let index = index(of: key)
        guard index < entries.count, entries[index].key == key, entries[index].isOpen else { return }
        entries[index].isOpen = false
        gaps += 1
        guard gaps > 32, gaps > entries.count / 2 else { return }
        entries.removeAll { !$0.isOpen }
        gaps = 0
    }

    /// Returns the open sessions after a key, or from the first one when the key is `nil`.
    /// - Parameter limit: the maximum number of entries to examine, including gaps.
    /// - Returns: the open sessions, and the last key that was examined; `nil` when there are no more.
    func keys(after key: Key?, limit: Int) -> (open: [Key], last: Key?) {
        var first = 0
        if let key {
            first = index(of: key)
            if first < entries.count, entries[first].key == key { first += 1 }
        }
        let part = entries[first...].prefix(limit)
        let isEnd = part.endIndex == entries.endIndex
        return (part.compactMap { $0.isOpen ? $0.key : nil }, isEnd ? nil : part.last?.key)
    }

    /// The index of a key, or of the first larger one.
    private func index(of key: Key) -> Int {
        var range = 0..<entries.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = entries[middle].key < key ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
