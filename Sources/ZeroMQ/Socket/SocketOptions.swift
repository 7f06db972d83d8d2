import CZeroMQ

/// The options of a socket that SceneBus sets, before it binds or connects.
public struct SocketOptions: Sendable {
    /// Messages that may wait to be sent to one peer; 0 for no bound. Above it a ROUTER or DEALER refuses, a PUB drops.
    public var sendHighWaterMark: Int32 = 1000
    /// Messages of one peer that may wait to be read; 0 for no bound.
    public var receiveHighWaterMark: Int32 = 1000
    /// Milliseconds for which a closed socket still tries to send; libzmq's own default, forever, hangs at exit.
    public var linger: Int32 = 0
    /// A peer that sends a larger message, in bytes, is disconnected; -1 for no bound.
    public var maximumMessageSize: Int64 = 16 << 20
    /// Milliseconds before the first attempt to connect again.
    public var reconnectInterval: Int32 = 100
    /// Milliseconds up to which that interval grows.
    public var maximumReconnectInterval: Int32 = 2000
    /// Milliseconds that a peer has for the protocol handshake.
    public var handshakeInterval: Int32 = 5000
    /// Connections that may wait to be accepted.
    public var backlog: Int32 = 4096
    /// Milliseconds between libzmq's own heartbeats, which find half-open TCP connections; 0 for none.
    public var heartbeatInterval: Int32 = 0
    /// Whether addresses may be of IPv6; IPv4 addresses are then written as IPv6 ones too.
    public var usesIPv6 = false
    /// ROUTER only: sending to a peer that is not there is an error instead of a silent drop.
    public var isMandatory = false
    /// XPUB only: every subscription is reported, also one that another peer has already.
    public var reportsEverySubscription = false
    /// DEALER only: queues nothing for a peer that is not connected, so that nothing stale is sent after a reconnect.
    public var queuesOnlyForConnected = false
    /// DEALER only: the identity under which a ROUTER knows the peer; `nil` for one that the ROUTER makes up.
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
        if heartbeatInterval > 0 {
            try Self.set(ZMQ_HEARTBEAT_IVL, heartbeatInterval, on: pointer)
            try Self.set(ZMQ_HEARTBEAT_TIMEOUT, heartbeatInterval * 3, on: pointer)
        }
        if isMandatory { try Self.set(ZMQ_ROUTER_MANDATORY, 1 as Int32, on: pointer) }
        if reportsEverySubscription { try Self.set(ZMQ_XPUB_VERBOSE, 1 as Int32, on: pointer) }
        if queuesOnlyForConnected { try Self.set(ZMQ_IMMEDIATE, 1 as Int32, on: pointer) }
        if let routingID { try Self.set(ZMQ_ROUTING_ID, routingID, on: pointer) }
    }

    private static func set<Value: BitwiseCopyable>(
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
