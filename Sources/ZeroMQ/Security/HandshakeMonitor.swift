import CZeroMQ

/// Watches the handshakes of a socket that connects, because the socket itself does not say why it has no connection.
@MainActor
public final class HandshakeMonitor {
    /// What became of a handshake.
    public enum Outcome: Hashable, Sendable {
        case succeeded
        /// The host does not know the key. libzmq does not try again.
        case unknownKey
        /// One side uses CURVE and the other does not. libzmq tries again.
        case otherMechanism
        /// The other side has closed the connection during the handshake. It may have another key than was expected, refuse
        /// further handshakes of this machine, or have ended. libzmq tries again.
        case cutOff
    }

    private var port: PartsPort?
    private static var count: UInt64 = 0

    /// Watches a socket. Close the socket before this.
    /// - Throws: `ZeroMQError` if the context cannot open another socket.
    init(
        _ socket: borrowing Socket, in context: SocketContext, onOutcome: @escaping @MainActor (Outcome) -> Void
    ) throws(ZeroMQError) {
        Self.count += 1
        let endpoint = "inproc://handshakes-\(Self.count)"
        let events = try Socket(.pair, in: context)
        // It may connect before libzmq binds the address. The socket reports nothing that nobody reads.
        try events.connect(endpoint)
        try socket.reportEvents(Self.events, to: endpoint)
        port = PartsPort(events) { parts in
            if let outcome = Self.outcome(parts) { onOutcome(outcome) }
            return []
        }
    }

    func close() {
        port?.close()
        port = nil
    }

    /// The events that the socket reports: a number of 16 bits, and a value of 32 bits.
    private static let events = Int32(
        ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
            | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL)

    private static func outcome(_ parts: [[UInt8]]) -> Outcome? {
        guard let event = parts.first, event.count == 6 else { return nil }
        // In the byte order of this machine.
        let number = event.withUnsafeBytes { Int32($0.loadUnaligned(as: UInt16.self)) }
        switch number {
        case Int32(ZMQ_EVENT_HANDSHAKE_SUCCEEDED): return .succeeded
        case Int32(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH): return .unknownKey
        case Int32(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL): return .otherMechanism
        case Int32(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL): return .cutOff
        default: return nil
        }
    }
}
