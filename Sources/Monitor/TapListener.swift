package import Bus
import CBOR
import Link
package import ZeroMQ

/// Listens to a host's tap: each frame that the host receives or sends, as it happens.
@MainActor
package final class TapListener {
    /// What the host's records do not say: how many of them never arrived.
    package private(set) var lost: UInt64 = 0
    private var next: UInt64?
    private var port: SocketPort?
    private let onRecord: @MainActor (TapRecord) -> Void

    /// - Parameters:
    ///   - publisher: the publisher's address, as the host's welcome gave it.
    ///   - endpoint: the address under which the host was reached.
    ///   - onRecord: called with each record.
    /// - Throws: `ZeroMQError` when the address cannot be used, `FolderError` when another user could listen there.
    package init(
        publisher: String, endpoint: String, context: Context, onRecord: @escaping @MainActor (TapRecord) -> Void
    ) throws {
        self.onRecord = onRecord
        var options = SocketOptions()
        options.receiveHighWaterMark = 10_000
        options.usesIPv6 = endpoint.contains("[")
        let socket = try Socket(.subscriber, in: context, options: options)
        let address = HostEndpoint.resolve(publisher: publisher, connectedTo: endpoint)
        try PrivateFolder.check(endpoint: address)
        try socket.connect(address)
        try socket.subscribe(Frame.topic(.tap))
        port = SocketPort(socket) { [weak self] in self?.received($0) }
    }

    package func close() {
        port?.close()
        port = nil
    }

    private func received(_ message: SocketPort.Message) {
        guard !message.isMalformed, let frame = try? Frame(message.bytes), frame.kind == .tap,
            let record = try? frame.decodePayload(as: TapRecord.self)
        else { return }
        if let next, record.sequence > next { lost &+= record.sequence - next }
        next = record.sequence &+ 1
        onRecord(record)
    }
}
