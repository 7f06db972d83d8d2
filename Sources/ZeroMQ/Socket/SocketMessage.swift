/// A received message. On this bus a message has one part; at a ROUTER, the sender's routing id comes before it.
public struct SocketMessage: Sendable {
    /// The sender's connection; `nil` for all sockets except a ROUTER.
    public var sender: RoutingID?
    public var bytes: [UInt8]
    /// Whether the message had more or fewer parts than a message of this bus. Surplus parts are dropped.
    public var isMalformed = false
    /// The descriptor of the connection over which it has arrived; `nil` if it was not asked for. By the time it is
    /// read, another connection may have it.
    public var connection: Int32?
}
