package import Bus
package import ZeroMQ

/// What a peer's link is made with.
package struct LinkConfiguration: Sendable {
    /// The host's address.
    package var endpoint: String
    package var role: PeerRole
    /// The peer's name: the same each time it attaches.
    package var peer: String
    package var software = ""
    package var handles: [String] = []
    package var provides: [String] = []
    package var services: [String] = []
    package var scenes: [String] = []
    package var capacity = 0
    /// How long a request waits when its sender does not say.
    package var requestTimeout: Duration = .seconds(10)
    /// Requests that may wait for the link; one more is refused as overloaded.
    package var maximumWaiting = 10_000
    /// Requests of the host that are handled at a time; one more is refused as overloaded.
    package var maximumRequests = 2048
    package var machine = LinkMachine.Configuration()
    /// For `inproc` endpoints the context must be the host's.
    package var context: SocketContext

    package init(endpoint: String, role: PeerRole, peer: String, context: SocketContext) {
        self.endpoint = endpoint
        self.role = role
        self.peer = peer
        self.context = context
    }
}
