/// A peer that is attached.
package struct LinkStatus: Codable, Hashable, Sendable {
    /// The link's number in the host's life.
    package var link: UInt64
    /// The peer's name.
    package var peer: String
    package var role: PeerRole
    /// The peer's process, as it says itself.
    package var pid: Int32
    /// How many sessions it has something of; 0 for all but workers.
    package var sessions: Int
    /// Seconds since the host got a frame from it.
    package var silentSeconds: Double
    /// Requests that the host has sent to it and that have no end yet.
    package var pendingRequests: Int
    /// What the peer has dropped since it started, by reason.
    package var drops: [String: UInt64]

    package init(
        link: UInt64, peer: String, role: PeerRole, pid: Int32, sessions: Int, silentSeconds: Double,
        pendingRequests: Int, drops: [String: UInt64]
    ) {
        self.link = link
        self.peer = peer
        self.role = role
        self.pid = pid
        self.sessions = sessions
        self.silentSeconds = silentSeconds
        self.pendingRequests = pendingRequests
        self.drops = drops
    }
}

/// A page of the attached peers.
package struct LinkList: Codable, Hashable, Sendable, HostList {
    package var links: [LinkStatus]
    package var next: String?
    package var items: [LinkStatus] { links }

    package init(links: [LinkStatus], next: String?) {
        self.links = links
        self.next = next
    }
}
