/// The first frame of a link: who wants to attach, and what it brings.
package struct Hello: Codable, Hashable, Sendable {
    package var versions: ProtocolVersionRange
    package var role: PeerRole
    /// The peer's name: the same each time it attaches, unlike its connection.
    package var peer: String
    package var pid: Int32
    /// A random number of the peer's process: tells it from one of that name and `pid` on another machine, or in a container; `nil` from a peer that
    /// does without.
    package var life: UInt64?
    /// The address that it connected to: tells the host which of its publishers the peer can reach.
    package var endpoint: String
    /// The version of the peer's own software.
    package var software: String
    /// The messages that it handles for others, by name.
    package var handles: [String]
    /// The entries of the container that it sets.
    package var provides: [String]
    /// The services that it offers.
    package var services: [String]
    /// The scene configurations that it can run.
    package var scenes: [String]
    /// How many scenes it can run at a time.
    package var capacity: Int
    /// How many requests of the host it takes at a time; `nil` for as many as there are.
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

/// What tells a process from every other one, on whatever link it comes.
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

/// A scene that a worker has kept, suspended, while it had no link.
package struct HeldScene: Codable, Hashable, Sendable {
    package var session: String
    /// The fencing token that it had last.
    package var token: UInt64

    package init(session: String, token: UInt64) {
        self.session = session
        self.token = token
    }
}

/// The host's answer to a hello that it takes.
package struct Welcome: Codable, Hashable, Sendable {
    /// The version that both will speak.
    package var version: Int
    /// The host's life: every start of a host has another.
    package var epoch: UInt64
    /// Names the link in the host's life.
    package var link: UInt64
    /// Where to subscribe; a host part of `*` stands for the address that the peer connected to.
    package var publisher: String
    /// Milliseconds between heartbeats, of both sides.
    package var heartbeat: Int
    /// Microseconds on the host's clock when it sent this.
    package var clock: UInt64
    package var host: String
    package var pid: Int32
    /// How many requests the peer may have on their way at a time; `nil` for as many as it likes.
    package var credits: Int?
    /// How many bytes either side may have on their way to the other: see ``SendWindow``.
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

/// The host's answer to a hello that it does not take.
package struct Refusal: Codable, Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Codable, Sendable {
        /// No protocol version in common.
        case version
        /// The hello cannot be read.
        case malformed
        /// Another process has that name.
        case taken
        /// A plugin that the host has started brings more than its manifest says.
        case unauthorized
        /// The host has no room for another link.
        case full
        /// Many peers want to attach at this moment, and the host takes them one after the other.
        case busy
        /// The host does not know the link: say hello again.
        case unknownLink
    }

    package var code: Code
    package var reason: String
    /// What the host speaks.
    package var versions: ProtocolVersionRange
    /// What the peer said it speaks; `nil` when the hello could not be read.
    package var peerVersions: ProtocolVersionRange?

    private static let maximumReason = 4096

    package init(_ code: Code, _ reason: String, peerVersions: ProtocolVersionRange? = nil) {
        self.code = code
        // A reason may name what a peer has said, of any length.
        self.reason =
            reason.utf8.count > Self.maximumReason ? String(reason.prefix(Self.maximumReason / 8)) + "…" : reason
        versions = .current
        self.peerVersions = peerVersions
    }

    /// Whether the same hello could be taken later.
    package var isTemporary: Bool {
        switch code {
        case .taken, .full, .busy, .unknownLink: true
        case .version, .malformed, .unauthorized: false
        }
    }

    package var description: String { reason }
}
