/// The owner of one socket, on the main actor: sends at once, and hands over each message as it arrives.
@MainActor
public final class SocketPort: EventSource {
    /// A message as it came: on this bus it is one part, besides the sender's routing id at a ROUTER.
    public struct Message: Sendable {
        /// Who sent it; `nil` at any socket but a ROUTER.
        public var sender: RoutingID?
        public var bytes: [UInt8]
        /// Whether it had more parts than a message of this bus has, or fewer: they are left out.
        public var isMalformed = false
    }

    /// What to do with a message.
    public typealias Receiver = @MainActor (Message) -> Void

    /// Messages that one look at the socket may handle before others have their turn.
    private static let batch = 256
    /// The bytes after which it handles no more: what a large message asks for takes its time.
    private static let batchSize = 256 << 10
    /// The time after which it handles no more, from the end of the first message on: a small one may ask for much, too.
    private static let batchTime = Duration.milliseconds(10)

    nonisolated let descriptor: Int32
    // Not looked at for overlapping accesses, several times a message: a socket calls nobody.
    @exclusivity(unchecked) var isDirty = false
    @exclusivity(unchecked) private var socket: Socket?
    private let isRouter: Bool
    private let receiver: Receiver

    /// Takes a socket over.
    public init(_ socket: consuming Socket, receiver: @escaping Receiver) {
        descriptor = socket.descriptor
        isRouter = socket.kind == .router
        self.socket = consume socket
        self.receiver = receiver
        Reactor.shared.add(self)
    }

    /// Closes the socket. Nothing arrives afterwards.
    public func close() {
        guard socket != nil else { return }
        Reactor.shared.remove(self)
        socket = nil
    }

    public var isOpen: Bool { socket != nil }

    /// Uses the socket: to bind, connect or subscribe.
    /// - Returns: `nil` once the port is closed.
    @discardableResult
    public func withSocket<Result>(_ body: (borrowing Socket) throws(ZeroMQError) -> Result) throws(ZeroMQError)
        -> Result?
    {
        guard socket != nil else { return nil }
        let result = try body(socket!)
        Reactor.shared.markDirty(self)
        return result
    }

    /// Sends a message of one part.
    /// - Returns: `false` when there is no room, no peer, or the port is closed.
    @discardableResult
    public func send(_ bytes: [UInt8]) throws(ZeroMQError) -> Bool {
        guard socket != nil else { return false }
        defer { Reactor.shared.markDirty(self) }
        return try socket!.send(bytes)
    }

    /// Sends a message of one part to one peer of a ROUTER.
    /// - Returns: `false` when there is no room for it.
    /// - Throws: `ZeroMQError` when the peer is gone.
    @discardableResult
    public func send(_ bytes: [UInt8], to routingID: RoutingID) throws(ZeroMQError) -> Bool {
        guard socket != nil else { return false }
        defer { Reactor.shared.markDirty(self) }
        guard try socket!.send(to: routingID) else { return false }
        return try socket!.send(bytes)
    }

    func drain() -> Bool {
        var handled = 0
        var size = 0
        var end: ContinuousClock.Instant?
        while handled < Self.batch, size < Self.batchSize, socket != nil {
            // A receive fails only when the context ends; then nothing more will come.
            guard let message = try? receive() else {
                // Nothing is left, whatever was sent meanwhile: the next look can wait for the descriptor.
                isDirty = false
                return handled > 0
            }
            handled += 1
            size += message.bytes.count
            receiver(message)
            let now = ContinuousClock.now
            if let end, now >= end { break }
            end = end ?? now + Self.batchTime
        }
        if socket != nil { Reactor.shared.markDirty(self) }
        return true
    }

    private func receive() throws(ZeroMQError) -> Message? {
        var sender: RoutingID?
        if isRouter {
            guard let first = try socket!.receiveRoutingID() else { return nil }
            guard first.hasMore else { return Message(sender: first.id, bytes: [], isMalformed: true) }
            sender = first.id
        }
        guard let part = try socket!.receive() else { return nil }
        guard part.hasMore else { return Message(sender: sender, bytes: part.bytes) }
        while let rest = try socket!.receive(), rest.hasMore {}
        return Message(sender: sender, bytes: part.bytes, isMalformed: true)
    }
}
