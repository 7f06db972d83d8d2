/// The first frame of a link: the peer that wants to attach, and what it offers.
package struct Hello: Codable, Hashable, Sendable {
    package var versions: ProtocolVersionRange
    package var role: PeerRole
    /// The peer's name. It is the same each time the peer attaches, unlike its connection.
    package var peer: String
    package var pid: Int32
    /// A random number of the peer's process. It distinguishes the process from one with the same name and `pid` on
    /// another machine or in a container. `nil` from a peer that does not send it.
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

    package init(
        role: PeerRole, peer: String, pid: Int32, life: UInt64? = nil, endpoint: String, software: String = "",
        versions: ProtocolVersionRange = .current, handles: [String] = [], provides: [String] = [],
        services: [String] = [], scenes: [String] = [], capacity: Int = 0, credits: Int? = nil,
        held: [HeldScene]? = nil
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
    }

    package var process: ProcessIdentity { ProcessIdentity(peer: peer, pid: pid, life: life) }
}

/// The identity of a process, whatever its link.
package struct ProcessIdentity: Hashable, Sendable {
    package var peer: String
    package var pid: Int32
    package var life: UInt64?

    package init(peer: String, pid: Int32, life: UInt64? = nil) {
        self.peer = peer
        self.pid = pid
        self.life = life
    }
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

    package init(
        version: Int, epoch: UInt64, link: UInt64, publisher: String, heartbeat: Int, clock: UInt64, host: String,
        pid: Int32, credits: Int? = nil, window: UInt64 = SendWindow.standard
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
    }
}

/// The host's reply to a peer that it does not accept.
package struct Refusal: Codable, Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Codable, Sendable {
        /// No protocol version in common.
        case version
        /// The hello cannot be decoded, exceeds a limit, or declares a message or entry that is reserved.
        case malformed
        /// Another process has that name.
        case taken
        /// A plugin that the host started declares more than its manifest lists. A link also uses this code for a
        /// socket folder that is not safe.
        case unauthorized
        /// The host has no room for another link.
        case full
        /// Many peers are attaching, and the host admits them at a limited rate.
        case busy
        /// The host does not know the link. The peer must send a new hello.
        case unknownLink
    }

    package var code: Code
    package var reason: String
    /// The versions that the host speaks.
    package var versions: ProtocolVersionRange
    /// The versions that the peer speaks; `nil` when the hello could not be decoded.
    package var peerVersions: ProtocolVersionRange?

    private static let maximumReason = 4096

    package init(_ code: Code, _ reason: String, peerVersions: ProtocolVersionRange? = nil) {
        self.code = code
        // A reason may contain text of any length from a peer.
        self.reason =
            reason.utf8.count > Self.maximumReason ? String(reason.prefix(Self.maximumReason / 8)) + "…" : reason
        versions = .current
        self.peerVersions = peerVersions
    }

    /// Whether the host may accept the same hello later.
    package var isTemporary: Bool {
        switch code {
        case .taken, .full, .busy, .unknownLink: true
        case .version, .malformed, .unauthorized: false
        }
    }

    package var description: String { reason }
}
