package import CBOR

/// The host's reply to a hello that it accepts.
package struct Welcome: Codable, Hashable, Sendable {
    /// The protocol version that both sides use.
    package var version: Int
    /// The number of the host's life. Each start of a host has a different one.
    package var epoch: UInt64
    /// The link's number, which is unique in the host's life.
    package var link: UInt64
    /// The address to subscribe to; a host part of `*` stands for the address that the peer connected to.
    package var publisher: String
    /// The interval between heartbeats of both sides, in milliseconds.
    package var heartbeat: Int
    /// The host's clock when it sent this, in microseconds.
    package var clock: UInt64
    package var host: String
    package var pid: Int32
    /// How many requests the peer may have in flight; `nil` for no limit.
    package var credits: Int?
    /// How many bytes each side may have in flight to the other; see ``SendWindow``.
    package var window: UInt64
    /// The largest message of several frames that the host accepts, in bytes; `nil` if it accepts only single frames.
    package var batch: Int?
    /// The names to which frames of the link may refer by their index; see ``NameTable``. `nil` for none.
    package var names: [String]?
    /// How many publishes of the peer may be unanswered; `nil` from a host that answers none.
    package var publishes: Int?
    /// To a peer with a key: the public key that is about to take the place of the host's; `nil` for none.
    package var nextKey: String?
    /// The version of SceneBus of which the host was built; `nil` from a host that does not say it.
    package var software: String?

    package init(
        version: Int, epoch: UInt64, link: UInt64, publisher: String, heartbeat: Int, clock: UInt64, host: String,
        pid: Int32, credits: Int? = nil, window: UInt64 = SendWindow.standard, batch: Int? = nil,
        names: [String]? = nil, publishes: Int? = nil, nextKey: String? = nil,
        software: String? = nil
    ) {
        self.version = version
        self.epoch = epoch
        self.link = link
        self.publisher = publisher
        self.heartbeat = heartbeat
        self.clock = clock
        self.host = host
        self.pid = pid
        self.credits = credits
        self.window = window
        self.batch = batch
        self.names = names
        self.publishes = publishes
        self.nextKey = nextKey
        self.software = software
    }
}

// Written by hand, like that of ``Heartbeat``. Through `Codable`, the runtime would search all conformances of the process
// for the keys when a worker starts.
extension Welcome: CBORItem {
    package func writeItem(to writer: inout CBORWriter) throws {
        let optional =
            CBORWriter.fieldCount(credits) + CBORWriter.fieldCount(batch) + CBORWriter.fieldCount(names)
            + CBORWriter.fieldCount(publishes)
            + CBORWriter.fieldCount(nextKey) + CBORWriter.fieldCount(software)
        try writer.beginFields(9 + optional)
        try writer.writeField("version", version)
        try writer.writeField("epoch", epoch)
        try writer.writeField("link", link)
        try writer.writeField("publisher", publisher)
        try writer.writeField("heartbeat", heartbeat)
        try writer.writeField("clock", clock)
        try writer.writeField("host", host)
        try writer.writeField("pid", pid)
        try writer.writeField("credits", credits)
        try writer.writeField("window", window)
        try writer.writeField("batch", batch)
        try writer.writeField("names", names)
        try writer.writeField("publishes", publishes)
        try writer.writeField("nextKey", nextKey)
        try writer.writeField("software", software)
        writer.endFields()
    }

    package init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        var count = try reader.readFields()
        version = try reader.readField("version", of: &count)
        epoch = try reader.readField("epoch", of: &count)
        link = try reader.readField("link", of: &count)
        publisher = try reader.readField("publisher", of: &count)
        heartbeat = try reader.readField("heartbeat", of: &count)
        clock = try reader.readField("clock", of: &count)
        host = try reader.readField("host", of: &count)
        pid = try reader.readField("pid", of: &count)
        credits = try reader.readField("credits", of: &count)
        window = try reader.readField("window", of: &count)
        batch = try reader.readField("batch", of: &count)
        names = try reader.readField("names", of: &count)
        publishes = try reader.readField("publishes", of: &count)
        nextKey = try reader.readField("nextKey", of: &count)
        software = try reader.readField("software", of: &count)
        try reader.endFields(count)
    }
}
