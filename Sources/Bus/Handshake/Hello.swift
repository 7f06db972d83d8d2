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

    package init(
        role: PeerRole, peer: String, pid: Int32, life: UInt64? = nil, endpoint: String, software: String = "",
        versions: ProtocolVersionRange = .current, handles: [String] = [], provides: [String] = [],
        services: [String] = [], scenes: [String] = [], capacity: Int = 0, credits: Int? = nil,
        held: [HeldScene]? = nil, batch: Int? = nil
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
