import CZeroMQ

/// The socket options that SceneBus sets before a socket binds or connects.
public struct SocketOptions: Sendable {
    /// The maximum number of messages that wait to be sent to one peer; 0 for no limit. Above the limit, a ROUTER or
    /// DEALER refuses messages, and a PUB drops them.
    public var sendHighWaterMark: Int32 = 1000
    /// The maximum number of messages from one peer that wait to be read; 0 for no limit.
    public var receiveHighWaterMark: Int32 = 1000
    /// The time in milliseconds for which a closed socket still tries to send. With libzmq's default, forever, a
    /// process can hang when it exits.
    public var linger: Int32 = 0
    /// The maximum size of a received message in bytes; -1 for no limit. A peer that sends a larger one is
    /// disconnected.
    public var maximumMessageSize: Int64 = 16 << 20
    /// The time in milliseconds before the first attempt to reconnect.
    public var reconnectInterval: Int32 = 100
    /// The maximum in milliseconds to which the reconnect interval grows.
    public var maximumReconnectInterval: Int32 = 2000
    /// The time in milliseconds in which a peer must complete the protocol handshake.
    public var handshakeInterval: Int32 = 5000
    /// The maximum number of connections that wait to be accepted.
    public var backlog: Int32 = 4096
    /// The interval in milliseconds of libzmq's own heartbeats on TCP connections, which detect those that are half-open;
    /// 0 for none. Other connections cannot be half-open.
    public var heartbeatInterval: Int32 = 0
    /// Whether IPv6 addresses are allowed. The socket then reports IPv4 addresses in IPv6 notation, too.
    public var usesIPv6 = false
    /// ROUTER only: whether sending to an unknown peer is an error. Otherwise the message is dropped silently.
    public var isMandatory = false
    /// XPUB only: whether every subscription is reported, even if another peer has the same one.
    public var reportsEverySubscription = false
    /// How TCP connections are encrypted and authenticated; `nil` for not at all.
    public var security: SocketSecurity?
    /// DEALER only: the routing id by which a ROUTER identifies this peer; `nil` if the ROUTER generates one.
    public var routingID: [UInt8]?

    public init() {}

    func apply(to pointer: UnsafeMutableRawPointer) throws(ZeroMQError) {
        try Self.set(ZMQ_LINGER, linger, on: pointer)
        try Self.set(ZMQ_SNDHWM, sendHighWaterMark, on: pointer)
        try Self.set(ZMQ_RCVHWM, receiveHighWaterMark, on: pointer)
        try Self.set(ZMQ_MAXMSGSIZE, maximumMessageSize, on: pointer)
        try Self.set(ZMQ_RECONNECT_IVL, reconnectInterval, on: pointer)
        try Self.set(ZMQ_RECONNECT_IVL_MAX, maximumReconnectInterval, on: pointer)
        try Self.set(ZMQ_HANDSHAKE_IVL, handshakeInterval, on: pointer)
        try Self.set(ZMQ_BACKLOG, backlog, on: pointer)
        if usesIPv6 { try Self.set(ZMQ_IPV6, 1 as Int32, on: pointer) }
        if isMandatory { try Self.set(ZMQ_ROUTER_MANDATORY, 1 as Int32, on: pointer) }
        if reportsEverySubscription { try Self.set(ZMQ_XPUB_VERBOSE, 1 as Int32, on: pointer) }
        if let routingID { try Self.set(ZMQ_ROUTING_ID, routingID, on: pointer) }
    }

    /// Sets the options of the connections to an address that the socket is about to bind or connect to.
    func applyTransport(of endpoint: String, to pointer: UnsafeMutableRawPointer) throws(ZeroMQError) {
        try applySecurity(of: endpoint, to: pointer)
        guard heartbeatInterval > 0 else { return }
        let isNeeded = endpoint.hasPrefix("tcp:")
        try Self.set(ZMQ_HEARTBEAT_IVL, isNeeded ? heartbeatInterval : 0, on: pointer)
        if isNeeded { try Self.set(ZMQ_HEARTBEAT_TIMEOUT, heartbeatInterval * 3, on: pointer) }
    }

    static func set<Value: BitwiseCopyable>(
        _ option: Int32, _ value: Value, on pointer: UnsafeMutableRawPointer
    ) throws(ZeroMQError) {
        var value = value
        guard zmq_setsockopt(pointer, option, &value, MemoryLayout<Value>.size) == 0 else {
            throw ZeroMQError("set socket option \(option)")
        }
    }

    static func set(
        _ option: Int32, _ bytes: [UInt8], on pointer: UnsafeMutableRawPointer
    ) throws(ZeroMQError) {
        guard zmq_setsockopt(pointer, option, bytes, bytes.count) == 0 else {
            throw ZeroMQError("set socket option \(option)")
        }
    }
}
