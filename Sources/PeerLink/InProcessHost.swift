package import Bus
package import ZeroMQ

/// A host of this process, as plugins that are linked into it reach it: without a socket file or a port.
public struct InProcessHost: Sendable {
    package let endpoint: HostEndpoint
    /// Addresses inside of a process belong to one context: a plugin has to use its host's.
    package let context: SocketContext

    package init(endpoint: HostEndpoint, context: SocketContext) {
        self.endpoint = endpoint
        self.context = context
    }
}
