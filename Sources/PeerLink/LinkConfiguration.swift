package import Bus
package import Messaging
package import ZeroMQ

/// The configuration of a peer's link.
package struct LinkConfiguration: Sendable {
    /// The host's address.
    package var endpoint: String
    package var role: PeerRole
    /// The peer's name, which is the same each time it attaches.
    package var peer: String
    package var software = ""
    package var handles: [String] = []
    /// The fields of messages that are secrets, as ``Hello/secrets``.
    package var secrets: [String] = []
    package var provides: [String] = []
    package var services: [String] = []
    package var scenes: [String] = []
    package var capacity = 0
    /// How long a request waits when its sender specifies no timeout.
    package var requestTimeout: Duration = .seconds(10)
    /// The maximum number of requests that wait to be sent: for the link, for a credit, for room or for their sessions. As
    /// many messages of the host may wait for the link to be ready. Further ones are refused as overloaded.
    package var maximumWaiting = 10_000
    /// The maximum number of requests of the host that are handled at a time. Further ones are refused as overloaded.
    package var maximumRequests = 2048
    package var machine = LinkMachine.Configuration()
    /// The keys for TCP; `nil` for links of this machine, and to connect over TCP without keys.
    package var security: LinkSecurity?
    /// The name by which the host knows this machine's key; `nil` without keys.
    package var keyName: String?
    /// The ZeroMQ context. For `inproc` endpoints it must be the host's.
    package var context: SocketContext

    /// Creates the configuration of a link to a host that a person has named.
    package init(_ host: HostReference, role: PeerRole, peer: String, context: SocketContext) {
        self.init(endpoint: host.endpoint, role: role, peer: peer, context: context)
        security = host.security
        keyName = host.context?.ownName
    }

    package init(endpoint: String, role: PeerRole, peer: String, context: SocketContext) {
        self.endpoint = endpoint
        self.role = role
        self.peer = peer
        self.context = context
    }
}
