/// The payload of a heartbeat: what its sender has got, and a peer what it has dropped.
package struct Heartbeat: Codable, Hashable, Sendable {
    /// The bytes of all frames that the sender has got over the bus on this link: what the other side may count as arrived.
    package var received: UInt64
    /// What a peer has dropped since it started, when that has changed since it said so last.
    package var drops: DropCounts?
    /// In the host's answer: its clock, in microseconds. Two machines' clocks drift apart while a link stands for days.
    package var clock: UInt64?

    package init(received: UInt64, drops: DropCounts? = nil, clock: UInt64? = nil) {
        self.received = received
        self.drops = drops
        self.clock = clock
    }
}
