package import CBOR

/// The payload of a heartbeat: how much its sender has received, and what a peer has dropped.
package struct Heartbeat: Codable, Hashable, Sendable {
    /// The size of all frames that the sender has received over the bus on this link, in bytes. The other side counts
    /// them as delivered.
    package var received: UInt64
    /// What a peer has dropped since it started; `nil` when it has not changed since the last report.
    package var drops: PeerDrops?
    /// In the host's reply: its clock, in microseconds. The clocks of two machines drift apart while a link is open for
    /// days.
    package var clock: UInt64?
    /// From the host, a random number; from a peer, the last such number that it has read. See ``ReadMarks``.
    package var mark: UInt64?
    /// In the host's reply to a peer with a key: the public key that is about to take the place of the host's; `nil` for none.
    package var nextKey: String?

    package init(received: UInt64, drops: PeerDrops? = nil, clock: UInt64? = nil, mark: UInt64? = nil) {
        self.received = received
        self.drops = drops
        self.clock = clock
        self.mark = mark
    }
}

// A host with thousands of peers spends most of its idle time on heartbeats. This is written by hand, because with
// `@CBORItem` the compiler would warn that the import of `Messaging` is unused.
extension Heartbeat: CBORItem {
    package func writeItem(to writer: inout CBORWriter) throws {
        let count =
            1 + CBORWriter.fieldCount(drops) + CBORWriter.fieldCount(clock) + CBORWriter.fieldCount(mark)
            + CBORWriter.fieldCount(nextKey)
        try writer.beginFields(count)
        try writer.writeField("received", received)
        try writer.writeField("drops", drops)
        try writer.writeField("clock", clock)
        try writer.writeField("mark", mark)
        try writer.writeField("nextKey", nextKey)
        writer.endFields()
    }

    package init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        var count = try reader.readFields()
        received = try reader.readField("received", of: &count)
        drops = try reader.readField("drops", of: &count)
        clock = try reader.readField("clock", of: &count)
        mark = try reader.readField("mark", of: &count)
        nextKey = try reader.readField("nextKey", of: &count)
        try reader.endFields(count)
    }
}
