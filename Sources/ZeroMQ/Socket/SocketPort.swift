/// The owner of one socket, on the main actor: sends at once, and hands over each message as it arrives.
@MainActor
public final class SocketPort: EventSource {
    /// What to do with a message's parts.
    public typealias Receiver = @MainActor (_ parts: [[UInt8]]) -> Void

    /// Messages that one look at the socket may handle before others have their turn.
    private static let batch = 256

    nonisolated let descriptor: Int32
    var isDirty = false
    private var socket: Socket?
    private var parts: [[UInt8]] = []
    private let receiver: Receiver

    /// Takes a socket over.
    public init(_ socket: consuming Socket, receiver: @escaping Receiver) {
        descriptor = socket.descriptor
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
    public func send(_ bytes: [UInt8], to routingID: [UInt8]) throws(ZeroMQError) -> Bool {
        guard socket != nil else { return false }
        defer { Reactor.shared.markDirty(self) }
        guard try socket!.send(routingID, more: true) else { return false }
        return try socket!.send(bytes)
    }

    func drain() -> Bool {
        var handled = 0
        while handled < Self.batch, socket != nil {
            // A receive fails only when the context ends; then nothing more will come.
            guard let part = try? socket!.receive() else { return handled > 0 }
            parts.append(part.bytes)
            if part.hasMore { continue }
            let message = parts
            parts.removeAll(keepingCapacity: true)
            handled += 1
            receiver(message)
        }
        if socket != nil { Reactor.shared.markDirty(self) }
        return true
    }
}
