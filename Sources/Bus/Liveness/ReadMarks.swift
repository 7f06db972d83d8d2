/// Shows how much of what was sent to a peer the peer has really read. It is a value.
///
/// What a peer reports to have received may not be true, and then the rest waits in the memory of the host. So the host
/// sends marks, which are random numbers, between the other frames. Only a peer that has read as far can return a mark.
package struct ReadMarks: Hashable, Sendable {
    /// After how many bytes the next mark is due.
    private static let step: UInt64 = 4 << 20
    /// How many bytes a peer may report on a link without having returned a mark that was sent among them.
    package static let limitWithoutMarks: UInt64 = 96 << 20

    private struct Mark: Hashable {
        let number: UInt64
        /// The bytes that were sent up to here, this mark included.
        let end: UInt64
    }

    /// The marks that were sent and not returned.
    private var open: [Mark] = []
    private var last: UInt64 = 0
    private var hasReturned = false
    /// How many bytes of the link the peer has certainly read.
    private var read: UInt64 = 0
    /// What earlier links of the connection have left behind, as long as it may be unread.
    private var earlier: UInt64

    /// - Parameter earlier: the bytes that earlier links have left unread on the same connection.
    package init(earlier: UInt64 = 0) { self.earlier = earlier }

    /// Returns whether to send a mark now.
    /// - Parameter sent: the bytes that were sent on the link.
    package func isDue(sent: UInt64) -> Bool { sent - last >= Self.step }

    /// Notes a mark that was sent.
    /// - Parameter end: the bytes that were sent on the link, the mark included.
    package mutating func sent(_ number: UInt64, end: UInt64) {
        open.append(Mark(number: number, end: end))
        last = end
    }

    /// Checks a report of the peer.
    /// - Parameters:
    ///   - number: the mark that it returns; `nil` for none.
    ///   - received: the bytes that it reports to have received.
    /// - Returns: `false` when it cannot have read that much.
    package mutating func returned(_ number: UInt64?, received: UInt64) -> Bool {
        if let number, let place = open.firstIndex(where: { $0.number == number }) {
            read = open[place].end
            earlier = 0
            hasReturned = true
            open.removeSubrange(...place)
        }
        guard let next = open.first else { return true }
        // A report may be due when the mark itself is counted and not handled yet.
        return hasReturned ? received <= next.end : received <= Self.limitWithoutMarks
    }

    /// Returns how many bytes may be unread on the connection.
    package func unread(sent: UInt64) -> UInt64 { earlier + sent - read }
}
