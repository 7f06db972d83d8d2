/// What the host keeps because of one peer, in bytes, by the reason for which it is kept. All reasons together have one
/// limit, so that a peer that uses up the room for one has none for another.
///
/// It is a value, which is changed only where something is kept or released, not for each frame.
package struct PeerAccount: Hashable, Sendable {
    /// Why something is kept.
    package enum Reason: Int, CaseIterable, Sendable {
        /// Its hello, with what it declares.
        case hello
        /// Replies to it for which there is no room in the send window.
        case replies
        /// Its requests without a reply: the large ones, and those of which a copy is kept.
        case requests
        /// The values of the entries that it has set.
        case entries
    }

    /// The maximum number of bytes that are kept for a peer, besides the frames in its send window: room for the largest
    /// requests and replies that wait at a time, and for the entries of a large plugin.
    package static let limit = 64 << 20

    private let limit: Int
    private var bytes = [Int](repeating: 0, count: Reason.allCases.count)
    /// The bytes of all reasons together.
    package private(set) var total = 0

    package init(limit: Int = PeerAccount.limit) {
        self.limit = limit
    }

    package subscript(reason: Reason) -> Int { bytes[reason.rawValue] }

    /// Returns how many bytes may be kept for a reason, those that are kept already included.
    package func limit(for reason: Reason) -> Int { max(0, limit - total + self[reason]) }

    /// Returns whether so many more bytes may be kept.
    package func hasRoom(for count: Int) -> Bool { count <= limit - total }

    /// Adds bytes that are to be kept.
    /// - Returns: `false` when there is no room for them, and nothing is added.
    package mutating func keep(_ count: Int, for reason: Reason) -> Bool {
        guard hasRoom(for: count) else { return false }
        set(self[reason] + count, for: reason)
        return true
    }

    /// Subtracts bytes that are no longer kept.
    package mutating func release(_ count: Int, for reason: Reason) { set(self[reason] - count, for: reason) }

    /// Sets the bytes that are kept for a reason, where they are counted elsewhere.
    package mutating func set(_ count: Int, for reason: Reason) {
        total += count - bytes[reason.rawValue]
        bytes[reason.rawValue] = count
    }
}
