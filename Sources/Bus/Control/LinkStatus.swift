package import Messaging

/// The status of an attached peer.
package struct LinkStatus: Codable, Hashable, Sendable {
    /// The link's number, which is unique in the host's life.
    package var link: UInt64
    /// The peer's name.
    package var peer: String
    package var role: PeerRole
    /// The process ID that the peer reports.
    package var pid: Int32
    /// The number of sessions that it runs, creates, holds or is ending; 0 for peers other than workers.
    package var sessions: Int
    /// Seconds since the host last received a frame from it.
    package var silentSeconds: Double
    /// The number of requests that the host has sent to it and that have no reply yet.
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
