package import Bus
package import ZeroMQ

/// A host in this process, as plugins that are linked into the process reach it: without a socket file or a port.
public struct InProcessHost: Sendable {
    package let endpoint: HostEndpoint
    /// The host's context. An `inproc` address belongs to one context, so a plugin must use its host's.
    package let context: SocketContext

    package init(endpoint: HostEndpoint, context: SocketContext) {
        self.endpoint = endpoint
        self.context = context
    }
}
