import CZeroMQ
import Glibc

/// A libzmq socket with exactly one owner: it cannot be copied, nor sent to another isolation domain, and closes itself.
///
/// libzmq's sockets are not thread-safe. `Socket` is neither `Copyable` nor `Sendable`, so that the compiler refuses a use
/// from two tasks. Above this module a ``SocketPort`` owns it on the main actor.
public struct Socket: ~Copyable {
    /// What the socket does with messages.
    public enum Kind: Sendable {
        case dealer, router, publisher, subscriber, verbosePublisher, pair

        var number: Int32 {
            switch self {
            case .dealer: return ZMQ_DEALER
            case .router: return ZMQ_ROUTER
            case .publisher: return ZMQ_PUB
            case .subscriber: return ZMQ_SUB
            case .verbosePublisher: return ZMQ_XPUB
            case .pair: return ZMQ_PAIR
            }
        }
    }

    /// One part of a message.
    public struct Part: Sendable {
        public let bytes: [UInt8]
        /// More parts of the same message follow.
        public let hasMore: Bool
    }

    let kind: Kind

    private let pointer: UnsafeMutableRawPointer
    private let context: SocketContext

    /// Opens a socket.
    /// - Throws: `ZeroMQError` when the context has no room for one more, or an option is refused.
    public init(_ kind: Kind, in context: SocketContext, options: SocketOptions = SocketOptions()) throws(ZeroMQError) {
        guard let pointer = zmq_socket(context.pointer, kind.number) else { throw ZeroMQError("open a socket") }
        do {
            try options.apply(to: pointer)
        } catch {
            zmq_close(pointer)
            throw error
        }
        self.kind = kind
        self.pointer = pointer
        self.context = context
        context.socketOpened()
    }

    deinit {
        zmq_close(pointer)
        context.socketClosed()
    }

    // MARK: - Addresses

    /// Binds; peers can connect from now on.
    /// - Throws: `ZeroMQError`, such as address in use.
    public func bind(_ endpoint: String) throws(ZeroMQError) {
        guard zmq_bind(pointer, endpoint) == 0 else { throw ZeroMQError("bind \(endpoint)") }
    }

    /// Connects, now or as soon as somebody is there.
    /// - Throws: `ZeroMQError` when the address is malformed.
    public func connect(_ endpoint: String) throws(ZeroMQError) {
        guard zmq_connect(pointer, endpoint) == 0 else { throw ZeroMQError("connect to \(endpoint)") }
    }

    /// The address that was bound last, with the port that the system chose for a wildcard.
    public var lastEndpoint: String {
        var buffer = [CChar](repeating: 0, count: 1024)
        var size = buffer.count
        guard zmq_getsockopt(pointer, ZMQ_LAST_ENDPOINT, &buffer, &size) == 0, size > 0 else { return "" }
        return String(decoding: buffer[..<(size - 1)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// SUB only: wants the messages that begin with `prefix`.
    public func subscribe(_ prefix: [UInt8]) throws(ZeroMQError) {
        try SocketOptions.set(ZMQ_SUBSCRIBE, prefix, on: pointer)
    }

    /// SUB only: takes a subscription back.
    public func unsubscribe(_ prefix: [UInt8]) throws(ZeroMQError) {
        try SocketOptions.set(ZMQ_UNSUBSCRIBE, prefix, on: pointer)
    }

    // MARK: - Messages

    /// Sends one part without waiting.
    /// - Returns: `false` when there is no room, or no peer to take it.
    /// - Throws: `ZeroMQError`; for a mandatory ROUTER also when nobody has the routing id.
    @discardableResult
    public func send(_ bytes: [UInt8], more: Bool = false) throws(ZeroMQError) -> Bool {
        let flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)
        let result = retryingInterrupts { zmq_send(pointer, bytes, bytes.count, flags) }
        if result >= 0 { return true }
        guard zmq_errno() == EAGAIN else { throw ZeroMQError("send \(bytes.count) bytes") }
        return false
    }

    /// Sends the first part of a message to one peer of a ROUTER; the rest has to follow.
    package func send(to routingID: RoutingID) throws(ZeroMQError) -> Bool {
        let result = routingID.withBytes { bytes in
            retryingInterrupts { zmq_send(pointer, bytes.baseAddress, bytes.count, ZMQ_DONTWAIT | ZMQ_SNDMORE) }
        }
        if result >= 0 { return true }
        guard zmq_errno() == EAGAIN else { throw ZeroMQError("send to a peer") }
        return false
    }

    /// Receives one part without waiting.
    /// - Returns: `nil` when nothing is there.
    public func receive() throws(ZeroMQError) -> Part? {
        try receivePart { Part(bytes: Array($0), hasMore: $1) }
    }

    /// Receives the part that names the sender of what follows.
    func receiveRoutingID() throws(ZeroMQError) -> (id: RoutingID, hasMore: Bool)? {
        try receivePart { (RoutingID($0), $1) }
    }

    private func receivePart<Result>(
        _ take: (_ bytes: UnsafeRawBufferPointer, _ hasMore: Bool) -> Result
    ) throws(ZeroMQError) -> Result? {
        var message = zmq_msg_t()
        zmq_msg_init(&message)
        defer { zmq_msg_close(&message) }
        guard retryingInterrupts({ zmq_msg_recv(&message, pointer, ZMQ_DONTWAIT) }) >= 0 else {
            guard zmq_errno() == EAGAIN else { throw ZeroMQError("receive") }
            return nil
        }
        let bytes = UnsafeRawBufferPointer(start: zmq_msg_data(&message), count: zmq_msg_size(&message))
        return take(bytes, zmq_msg_more(&message) != 0)
    }

    // MARK: - Polling

    /// The descriptor that becomes readable when the socket has something to do. Edge-triggered: after it fired, and after
    /// every send, receive until there is nothing left.
    var descriptor: Int32 {
        var descriptor: Int32 = -1
        var size = MemoryLayout<Int32>.size
        zmq_getsockopt(pointer, ZMQ_FD, &descriptor, &size)
        return descriptor
    }
}
