package import Bus
import CBOR
import PeerLink
package import ZeroMQ

/// Listens to a host's tap: each frame that the host receives or sends, as it happens.
@MainActor
package final class TapSubscriber {
    /// What the host's records do not say: how many of them never arrived.
    package private(set) var lost: UInt64 = 0
    private var next: UInt64?
    private var port: SocketPort?
    private let address: String
    private let context: SocketContext
    private let onRecord: @MainActor (TapRecord) -> Void
    /// The publisher sends a beacon each second at least: a connection over which nothing comes is dead, say in a firewall.
    private var liveness: Liveness
    private lazy var timer = LoopTimer { [weak self] in self?.look() }

    /// - Parameters:
    ///   - publisher: the publisher's address, as the host's welcome gave it.
    ///   - endpoint: the address under which the host was reached.
    ///   - interval: the time between two beacons, as the welcome says it.
    ///   - onRecord: called with each record.
    /// - Throws: `ZeroMQError` when the address cannot be used, `FolderError` when another user could listen there.
    package init(
        publisher: String, endpoint: String, context: SocketContext, interval: Duration = .seconds(1),
        onRecord: @escaping @MainActor (TapRecord) -> Void
    ) throws {
        self.context = context
        self.onRecord = onRecord
        address = HostEndpoint.resolve(publisher: publisher, connectedTo: endpoint)
        liveness = Liveness(interval: interval, now: .now)
        try open()
        timer.set(for: liveness.nextLook)
    }

    private func open() throws {
        try PrivateFolder.check(endpoint: address)
        var options = SocketOptions()
        options.receiveHighWaterMark = 10_000
        options.usesIPv6 = address.contains("[")
        let socket = try Socket(.subscriber, in: context, options: options)
        try socket.connect(address)
        try socket.subscribe(Frame.topic(.beacon))
        try socket.subscribe(Frame.topic(.tap))
        port?.close()
        port = SocketPort(socket) { [weak self] in self?.received($0) }
    }

    package func close() {
        timer.cancel()
        port?.close()
        port = nil
    }

    /// Makes a fresh connection when nothing has come over this one for too long.
    private func look() {
        if liveness.look(at: .now) != nil {
            liveness = Liveness(interval: liveness.interval, now: .now)
            // What cannot be opened now is tried again after the next silence.
            try? open()
        }
        timer.set(for: liveness.nextLook)
    }

    private func received(_ message: SocketPort.Message) {
        liveness.heard(at: .now)
        guard !message.isMalformed, let frame = try? Frame(message.bytes), frame.kind == .tap,
            let record = try? frame.decodePayload(as: TapRecord.self)
        else { return }
        if let next, record.sequence > next { lost &+= record.sequence - next }
        next = record.sequence &+ 1
        onRecord(record)
    }
}
