/// The owner of a socket within the process over which libzmq talks: its messages have several parts.
@MainActor
final class PartsPort: EventSource {
    nonisolated let descriptor: Int32
    var isDirty = false
    private var socket: Socket?
    private let receiver: @MainActor ([[UInt8]]) -> [[UInt8]]

    /// The maximum number of messages that one call of `drain()` receives before other sources get their turn.
    private static let batch = 64
    /// The maximum number of parts that are kept of a message. libzmq's own have fewer.
    private static let maximumParts = 16

    /// - Parameter receiver: handles a message, and returns the parts of the reply; empty for no reply.
    init(_ socket: consuming Socket, receiver: @escaping @MainActor ([[UInt8]]) -> [[UInt8]]) {
        descriptor = socket.descriptor
        self.socket = consume socket
        self.receiver = receiver
        Reactor.shared.add(self)
    }

    func close() {
        guard socket != nil else { return }
        Reactor.shared.remove(self)
        socket = nil
    }

    func drain() -> HandledEvents {
        for handled in 0..<Self.batch {
            guard socket != nil, let parts = receive() else { return handled > 0 ? .all : .nothing }
            let reply = receiver(parts)
            for (index, part) in reply.enumerated() where socket != nil {
                _ = try? socket!.send(part, more: index < reply.count - 1)
            }
        }
        return .some
    }

    private func receive() -> [[UInt8]]? {
        // Receiving fails only when the context is terminated. No more messages come then.
        guard var part = try? socket!.receive() else { return nil }
        var parts = [part.bytes]
        while part.hasMore, let next = try? socket!.receive() {
            part = next
            if parts.count < Self.maximumParts { parts.append(part.bytes) }
        }
        return parts
    }
}
