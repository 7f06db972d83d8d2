import CZeroMQ

/// A received message. On this bus a message has one part; at a ROUTER, the sender's routing id comes before it.
public struct SocketMessage: Sendable {
    /// The sender's connection; `nil` for all sockets except a ROUTER.
    public var sender: RoutingID?
    public var bytes: [UInt8]
    /// Whether the message had more or fewer parts than a message of this bus. Surplus parts are dropped.
    public var isMalformed = false
    /// Where it comes from; `nil` if that was not looked up.
    public var origin: MessageOrigin?
}

/// Where a message comes from, as the system and the handshake attest it.
///
/// It is a class, because most messages have none: a reference that is nil costs nothing to pass on.
public final class MessageOrigin: Sendable {
    /// The descriptor of the connection over which it has arrived; `nil` within the process. By the time it is read,
    /// another connection may have it.
    public let connection: Int32?
    /// The sender's key, which the ``AuthenticationHandler`` has allowed; `nil` for a connection without CURVE.
    public let key: PublicKey?

    init(_ message: UnsafePointer<zmq_msg_t>) {
        let descriptor = zmq_msg_get(message, ZMQ_SRCFD)
        connection = descriptor < 0 ? nil : descriptor
        key = zmq_msg_gets(message, "User-Id").flatMap { PublicKey(String(cString: $0)) }
    }
}
