package import Bus
import CBOR
import PeerLink
package import ZeroMQ

/// Receives a host's tap: a record of each frame that the host receives or sends.
@MainActor
package final class TapSubscriber {
    /// The number of records that never arrived.
    package var lost: UInt64 { records.lost }
    private var records = TapRecords()
    private var port: SocketPort?
    private let address: String
    private let context: SocketContext
    private let onRecord: @MainActor (TapRecord) -> Void
    /// Detects a dead connection, such as one dropped by a firewall: the publisher sends a beacon at least every
    /// second.
    private var liveness: Liveness
    private lazy var timer = LoopTimer { [weak self] in self?.look() }

    /// Subscribes to the tap.
    /// - Parameters:
    ///   - publisher: the publisher's address from the host's welcome.
    ///   - endpoint: the address at which the host was reached.
    ///   - context: the context of the socket.
    ///   - interval: the time between two beacons, from the welcome.
    ///   - onRecord: called with each record.
    /// - Throws: `ZeroMQError` when the address cannot be used; `PrivatePathError` when another user could listen there.
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

    /// Closes the connection.
    package func close() {
        timer.cancel()
        port?.close()
        port = nil
    }

    /// Opens a new connection when this one has been silent for too long.
    private func look() {
        if liveness.look(at: .now) != nil {
            liveness = Liveness(interval: liveness.interval, now: .now)
            // If this fails, the next silence triggers another attempt.
            try? open()
        }
        timer.set(for: liveness.nextLook)
    }

    private func received(_ message: SocketMessage) {
        liveness.heard(at: .now)
        guard !message.isMalformed, let frame = try? Frame(message.bytes), let record = records.read(frame) else {
            return
        }
        onRecord(record)
    }
}
