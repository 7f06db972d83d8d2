package import CBOR
package import Messaging

/// The first frame of a link: the peer that wants to attach, and what it offers.
package struct Hello: Codable, Hashable, Sendable {
    package var versions: ProtocolVersionRange
    package var role: PeerRole
    /// The peer's name. It is the same each time the peer attaches, unlike its connection.
    package var peer: String
    package var pid: Int32
    /// A random number of the peer's process. It distinguishes the process from one with the same name and `pid` on
    /// another machine or in an operating-system container. `nil` from a peer that does not send it.
    package var life: UInt64?
    /// The address that the peer connected to. It tells the host which of its publishers the peer can reach.
    package var endpoint: String
    /// The version of the peer's own software.
    package var software: String
    /// The names of the messages that it handles for others.
    package var handles: [String]
    /// The entries of the container that it sets.
    package var provides: [String]
    /// The services that it offers.
    package var services: [String]
    /// The scene configurations that it can run.
    package var scenes: [String]
    /// How many scenes it can run at a time.
    package var capacity: Int
    /// How many requests of the host it handles at a time; `nil` for no limit.
    package var credits: Int?
    /// The scenes that it has kept, suspended, since its last link; `nil` for none.
    package var held: [HeldScene]?
    /// Whether the peer comes back with scenes.
    package var holdsScenes: Bool { held?.isEmpty == false }
    /// The largest message of several frames that it accepts, in bytes; `nil` if it accepts only single frames.
    package var batch: Int?
    /// How many names it accepts in ``Welcome/names``; `nil` for none.
    package var names: Int?
    /// Whether it reads in a frame who acts; `nil` for no.
    package var actors: Bool?
    /// The fields of its messages that are secrets, as ``HelloSecret/text``; `nil` for none.
    package var secrets: [String]?

    package init(
        role: PeerRole, peer: String, pid: Int32, life: UInt64? = nil, endpoint: String, software: String = "",
        versions: ProtocolVersionRange = .current, handles: [String] = [], provides: [String] = [],
        services: [String] = [], scenes: [String] = [], capacity: Int = 0, credits: Int? = nil,
        held: [HeldScene]? = nil, batch: Int? = nil, names: Int? = nil, actors: Bool? = nil, secrets: [String]? = nil
    ) {
        self.role = role
        self.peer = peer
        self.pid = pid
        self.life = life
        self.endpoint = endpoint
        self.software = software
        self.versions = versions
        self.handles = handles
        self.provides = provides
        self.services = services
        self.scenes = scenes
        self.capacity = capacity
        self.credits = credits
        self.held = held
        self.batch = batch
        self.names = names
        self.actors = actors
        self.secrets = secrets
    }

    package var process: ProcessIdentity { ProcessIdentity(peer: peer, pid: pid, life: life) }
}

/// A suspended scene that a worker has kept while it had no link.
package struct HeldScene: Codable, Hashable, Sendable {
    package var session: String
    /// The fencing token that it last had.
    package var token: UInt64

    package init(session: String, token: UInt64) {
        self.session = session
        self.token = token
    }
}

// Written by hand, like that of ``Heartbeat``. Through `Codable`, the runtime would search all conformances of the process
// for the keys when a worker starts.
extension Hello: CBORItem {
    package func writeItem(to writer: inout CBORWriter) throws {
        let optional =
            CBORWriter.fieldCount(life) + CBORWriter.fieldCount(credits) + CBORWriter.fieldCount(held)
            + CBORWriter.fieldCount(batch) + CBORWriter.fieldCount(names)
            + CBORWriter.fieldCount(actors) + CBORWriter.fieldCount(secrets)
        try writer.beginFields(11 + optional)
        try writer.writeField("versions", versions)
        try writer.writeField("role", role)
        try writer.writeField("peer", peer)
        try writer.writeField("pid", pid)
        try writer.writeField("life", life)
        try writer.writeField("endpoint", endpoint)
        try writer.writeField("software", software)
        try writer.writeField("handles", handles)
        try writer.writeField("provides", provides)
        try writer.writeField("services", services)
        try writer.writeField("scenes", scenes)
        try writer.writeField("capacity", capacity)
        try writer.writeField("credits", credits)
        try writer.writeField("held", held)
        try writer.writeField("batch", batch)
        try writer.writeField("names", names)
        try writer.writeField("actors", actors)
        try writer.writeField("secrets", secrets)
        writer.endFields()
    }

    package init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        var count = try reader.readFields()
        versions = try reader.readField("versions", of: &count)
        role = try reader.readField("role", of: &count)
        peer = try reader.readField("peer", of: &count)
        pid = try reader.readField("pid", of: &count)
        life = try reader.readField("life", of: &count)
        endpoint = try reader.readField("endpoint", of: &count)
        software = try reader.readField("software", of: &count)
        handles = try reader.readField("handles", of: &count)
        provides = try reader.readField("provides", of: &count)
        services = try reader.readField("services", of: &count)
        scenes = try reader.readField("scenes", of: &count)
        capacity = try reader.readField("capacity", of: &count)
        credits = try reader.readField("credits", of: &count)
        held = try reader.readField("held", of: &count)
        batch = try reader.readField("batch", of: &count)
        names = try reader.readField("names", of: &count)
        actors = try reader.readField("actors", of: &count)
        secrets = try reader.readField("secrets", of: &count)
        try reader.endFields(count)
    }
}

extension HeldScene: CBORItem {
    package func writeItem(to writer: inout CBORWriter) throws {
        try writer.beginFields(2)
        try writer.writeField("session", session)
        try writer.writeField("token", token)
        writer.endFields()
    }

    package init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        var count = try reader.readFields()
        session = try reader.readField("session", of: &count)
        token = try reader.readField("token", of: &count)
        try reader.endFields(count)
    }
}
