import CConnections
import CZeroMQ
import Glibc

/// A libzmq socket with exactly one owner. It cannot be copied or sent to another isolation domain, and is closed when
/// it is destroyed.
///
/// libzmq's sockets are not thread-safe. `Socket` is neither `Copyable` nor `Sendable`, so the compiler refuses its use
/// from two tasks. Other modules use it through a ``SocketPort``, which owns it on the main actor.
public struct Socket: ~Copyable {
    /// The socket's type, such as DEALER or ROUTER.
    public enum Kind: Sendable {
        case dealer, router, subscriber, verbosePublisher, pair, reply

        var number: Int32 {
            switch self {
            case .dealer: return ZMQ_DEALER
            case .router: return ZMQ_ROUTER
            case .subscriber: return ZMQ_SUB
            case .verbosePublisher: return ZMQ_XPUB
            case .pair: return ZMQ_PAIR
            case .reply: return ZMQ_REP
            }
        }
    }

    /// One part of a message.
    public struct Part: Sendable {
        public let bytes: [UInt8]
        /// Whether more parts of the same message follow.
        public let hasMore: Bool
    }

    let kind: Kind

    let pointer: UnsafeMutableRawPointer
    private let context: SocketContext
    let options: SocketOptions
    let files = Files()

    /// The files of the Unix-domain sockets on which the socket listens.
    final class Files {
        var files: [SocketFile] = []
        /// The number of listeners that have lost their files, by address.
        var lost: [String: Int] = [:]
        /// The TCP addresses, and the descriptors that accept their connections, which belong to libzmq.
        var listeners: [(endpoint: String, descriptor: Int32)] = []
    }

    /// Opens a socket.
    /// - Throws: `ZeroMQError` if the context cannot open another socket, or refuses an option.
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
        self.options = options
        context.socketOpened()
    }

    deinit {
        for file in files.files { file.remove() }
        // A connection outlives the socket while it lingers. Nobody reads its events any more, and libzmq's thread would wait
        // for room for them, for ever.
        zmq_socket_monitor(pointer, nil, 0)
        zmq_close(pointer)
        context.socketClosed()
    }

    // MARK: - Addresses

    /// Binds the socket to an address, so that peers can connect. The file of an `ipc` address is this user's alone.
    /// - Parameter gate: watches the connections to this address; `nil` for nobody.
    /// - Throws: `ZeroMQError`, for example if the address is in use.
    public func bind(_ endpoint: String, watchedBy gate: ConnectionGate? = nil) throws(ZeroMQError) {
        try options.applyTransport(of: endpoint, to: pointer)
        guard let gate else { return try bind(to: endpoint) }
        let hasKeys = options.security != nil && endpoint.hasPrefix("tcp:")
        try gate.watch(isPublisher: kind == .verbosePublisher, hasKeys: hasKeys) { () throws(ZeroMQError) in
            try bind(to: endpoint)
        }
    }

    private func bind(to endpoint: String) throws(ZeroMQError) {
        let operation = "bind \(endpoint)"
        guard let path = SocketFile.path(of: endpoint) else {
            guard zmq_bind(pointer, endpoint) == 0 else { throw ZeroMQError(operation) }
            if endpoint.hasPrefix("tcp:") { files.listeners.append((lastEndpoint, scenebus_last_listener())) }
            return
        }
        let file = try SocketFile(path, backlog: options.backlog, operation: operation)
        do throws(ZeroMQError) {
            try SocketOptions.set(ZMQ_USE_FD, file.descriptor, on: pointer)
            guard zmq_bind(pointer, endpoint) == 0 else { throw ZeroMQError(operation) }
        } catch {
            file.remove()
            file.close()
            throw error
        }
        files.files.append(file)
        try SocketOptions.set(ZMQ_USE_FD, -1 as Int32, on: pointer)
    }

    /// The addresses at which nobody can connect any more, because their files have been removed or replaced.
    package var lostEndpoints: [String] { files.files.filter { !$0.isThere }.map { "ipc://\($0.path)" } }

    /// The maximum number of unreachable listeners of an address.
    static let maximumLostListeners = 16

    /// Listens anew at an address of ``lostEndpoints``. Connections that were made before are kept: libzmq would close
    /// them together with the old listener, which therefore stays open, unreachable. When there are many of these, they
    /// are closed, and the peers connect anew.
    /// - Throws: `ZeroMQError`, for example if another process listens there now.
    package func bindAgain(_ endpoint: String, watchedBy gate: ConnectionGate? = nil) throws(ZeroMQError) {
        let lost = files.lost[endpoint, default: 0]
        if lost >= Self.maximumLostListeners { zmq_unbind(pointer, endpoint) }
        try bind(endpoint, watchedBy: gate)
        files.lost[endpoint] = lost >= Self.maximumLostListeners ? 0 : lost + 1
        files.files.removeAll { "ipc://\($0.path)" == endpoint && !$0.isThere }
    }

    /// Connects the socket to an address. If no peer has bound it yet, libzmq keeps trying.
    /// - Throws: `ZeroMQError` if the address is malformed.
    public func connect(_ endpoint: String) throws(ZeroMQError) {
        try options.applyTransport(of: endpoint, to: pointer)
        guard zmq_connect(pointer, endpoint) == 0 else { throw ZeroMQError("connect to \(endpoint)") }
    }

    /// The address that was bound last. It contains the port that the system has chosen for a wildcard.
    public var lastEndpoint: String {
        var buffer = [CChar](repeating: 0, count: 1024)
        var size = buffer.count
        guard zmq_getsockopt(pointer, ZMQ_LAST_ENDPOINT, &buffer, &size) == 0, size > 0 else { return "" }
        return String(decoding: buffer[..<(size - 1)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Makes libzmq look at all connections for messages that have arrived meanwhile. Without this, it looks only when no
    /// message is left, when something is sent, and after each hundred parts.
    /// - Returns: whether a message is left.
    @discardableResult
    func noticeArrivals() -> Bool {
        var events: Int32 = 0
        var size = MemoryLayout<Int32>.size
        return zmq_getsockopt(pointer, ZMQ_EVENTS, &events, &size) == 0 && events & Int32(ZMQ_POLLIN) != 0
    }

    /// SUB only: subscribes to the messages that begin with `prefix`.
    public func subscribe(_ prefix: [UInt8]) throws(ZeroMQError) {
        try SocketOptions.set(ZMQ_SUBSCRIBE, prefix, on: pointer)
    }

    /// SUB only: cancels a subscription.
    public func unsubscribe(_ prefix: [UInt8]) throws(ZeroMQError) {
        try SocketOptions.set(ZMQ_UNSUBSCRIBE, prefix, on: pointer)
    }

    // MARK: - Messages

    /// Sends one part without waiting.
    /// - Returns: `false` if the queue is full, or if there is no peer to send to.
    /// - Throws: `ZeroMQError`; for a mandatory ROUTER also if no peer has the routing id.
    @discardableResult
    public func send(_ bytes: [UInt8], more: Bool = false) throws(ZeroMQError) -> Bool {
        let flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)
        let result =
            bytes.count < Self.handedOverSize
            ? retryingInterrupts { zmq_send(pointer, bytes, bytes.count, flags) } : handOver(bytes, flags)
        if result >= 0 { return true }
        guard zmq_errno() == EAGAIN else { throw ZeroMQError("send \(bytes.count) bytes") }
        return false
    }

    /// The minimum size in bytes of a part that is handed over to libzmq instead of copied. A smaller one costs less to
    /// copy than to keep.
    private static let handedOverSize = 4 << 10

    /// Keeps the bytes of a part until libzmq has sent them.
    private final class HandedOver {
        let bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    /// Sends a part without copying it.
    /// - Returns: The result of `zmq_msg_send`.
    private func handOver(_ bytes: [UInt8], _ flags: Int32) -> Int32 {
        let owner = Unmanaged.passRetained(HandedOver(bytes))
        var message = zmq_msg_t()
        _ = bytes.withUnsafeBytes { content in
            // The pointer stays valid: an array's elements are on the heap and do not move while the owner refers to
            // them, and nobody else changes them, because a change of a shared array copies it.
            zmq_msg_init_data(
                &message, UnsafeMutableRawPointer(mutating: content.baseAddress), content.count,
                // Called once, on any thread, when libzmq no longer needs the content.
                { _, owner in Unmanaged<HandedOver>.fromOpaque(owner!).release() }, owner.toOpaque())
        }
        let result = retryingInterrupts { zmq_msg_send(&message, pointer, flags) }
        // A message that was not sent still belongs to the caller. Closing it releases the bytes.
        if result < 0 {
            let error = zmq_errno()
            zmq_msg_close(&message)
            errno = error
        }
        return result
    }

    /// ROUTER only: sends the part that addresses a peer. The rest of the message must follow.
    package func send(to routingID: RoutingID) throws(ZeroMQError) -> Bool {
        let result = routingID.withBytes { bytes in
            retryingInterrupts { zmq_send(pointer, bytes.baseAddress, bytes.count, ZMQ_DONTWAIT | ZMQ_SNDMORE) }
        }
        if result >= 0 { return true }
        guard zmq_errno() == EAGAIN else { throw ZeroMQError("send to a peer") }
        return false
    }

    /// Receives one part without waiting.
    /// - Returns: The part; `nil` if none is available.
    public func receive() throws(ZeroMQError) -> Part? {
        try receivePart { bytes, hasMore, _ in Part(bytes: Array(bytes), hasMore: hasMore) }
    }

    /// Receives one part without waiting.
    /// - Parameter asks: whether to look up the origin of a part with these bytes.
    /// - Returns: The part, and its origin; `nil` for it if it was not looked up.
    func receive(
        asking asks: (UnsafeRawBufferPointer) -> Bool
    ) throws(ZeroMQError) -> (part: Part, origin: MessageOrigin?)? {
        try receivePart { bytes, hasMore, message in
            (Part(bytes: Array(bytes), hasMore: hasMore), asks(bytes) ? MessageOrigin(message) : nil)
        }
    }

    /// ROUTER only: receives the part that identifies the sender of the rest of the message.
    func receiveRoutingID() throws(ZeroMQError) -> (id: RoutingID, hasMore: Bool)? {
        try receivePart { bytes, hasMore, _ in (RoutingID(bytes), hasMore) }
    }

    private func receivePart<Result>(
        _ take: (_ bytes: UnsafeRawBufferPointer, _ hasMore: Bool, _ message: UnsafePointer<zmq_msg_t>) -> Result
    ) throws(ZeroMQError) -> Result? {
        var message = zmq_msg_t()
        // The bytes of a small part are in `message` itself, so its address must stay the same until they have been taken.
        return try withUnsafeMutablePointer(to: &message) { message throws(ZeroMQError) in
            zmq_msg_init(message)
            defer { zmq_msg_close(message) }
            guard retryingInterrupts({ zmq_msg_recv(message, pointer, ZMQ_DONTWAIT) }) >= 0 else {
                guard zmq_errno() == EAGAIN else { throw ZeroMQError("receive") }
                return nil
            }
            let bytes = UnsafeRawBufferPointer(start: zmq_msg_data(message), count: zmq_msg_size(message))
            return take(bytes, zmq_msg_more(message) != 0, message)
        }
    }

    /// Makes libzmq report events of the socket's connections to a socket of this process.
    func reportEvents(_ events: Int32, to endpoint: String) throws(ZeroMQError) {
        guard zmq_socket_monitor(pointer, endpoint, events) == 0 else {
            throw ZeroMQError("watch the connections")
        }
    }

    // MARK: - Polling

    /// The descriptor that becomes readable when the socket has an event. It is edge-triggered: after an event, and
    /// after every send, receive until nothing is left.
    var descriptor: Int32 {
        var descriptor: Int32 = -1
        var size = MemoryLayout<Int32>.size
        zmq_getsockopt(pointer, ZMQ_FD, &descriptor, &size)
        return descriptor
    }
}
