/// The subscription that a peer makes last: when it reaches the publisher, all others have.
///
/// A topic of its own for each link, beginning with the byte 0xFF, because libzmq sends subscriptions in lexicographic order.
/// The host answers it with a snapshot: what is published afterwards reaches the peer, what was published before is in it.
package struct Barrier: Hashable, Sendable {
    /// The host's life, as the welcome named it: a subscription outlives it, and the next one has links of the same numbers.
    package let epoch: UInt64
    /// The link, as the welcome named it.
    package let link: UInt64
    /// The revision that the peer has in this epoch; 0 for none.
    package let known: UInt64

    package init(epoch: UInt64, link: UInt64, known: UInt64) {
        self.epoch = epoch
        self.link = link
        self.known = known
    }

    package var topic: [UInt8] {
        [0xFF] + Self.bytes(epoch) + Self.bytes(link) + Self.bytes(known)
    }

    /// Reads a topic; `nil` when it is not a barrier.
    package init?(topic: ArraySlice<UInt8>) {
        guard topic.count == 25, topic.first == 0xFF else { return nil }
        epoch = Self.number(topic.dropFirst().prefix(8))
        link = Self.number(topic.dropFirst(9).prefix(8))
        known = Self.number(topic.suffix(8))
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
