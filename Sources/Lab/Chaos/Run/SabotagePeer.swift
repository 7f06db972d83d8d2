import Bus
import Messaging
import Foundation
import PeerLink
import ZeroMQ

/// A peer of the wire alone, which does not keep to what a library would do.
@MainActor
final class SabotagePeer {
    let host: String
    private let socket: Socket
    private var lastRequest: UInt64 = 0

    /// - Parameters:
    ///   - readsAhead: whether unread messages wait in this process; otherwise they wait in the queue of the host.
    ///   - name: the name of its key.
    init(_ host: String, as name: String, readsAhead: Bool = false, in context: SocketContext) throws {
        var options = SocketOptions()
        options.security = try ChaosKeys.security(as: name)
        if !readsAhead { options.receiveHighWaterMark = 1 }
        options.sendHighWaterMark = 10_000
        self.host = host
        socket = try Socket(.dealer, in: context, options: options)
        try socket.connect(host)
    }

    func send(_ frame: Frame) { _ = try? socket.send(frame.encoded()) }

    func send(_ frame: Frame, payload: some Encodable) {
        guard let bytes = try? frame.encoded(payload: payload) else { return }
        _ = try? socket.send(bytes)
    }

    func greet(_ hello: Hello) { send(Frame(.hello), payload: hello) }

    /// Sends a request to the message's handler.
    func request(_ name: String, payload: [UInt8], flags: Frame.Flags = [], messageID: MessageID? = nil) {
        var frame = Frame(.request, name: name)
        lastRequest += 1
        frame.id = lastRequest
        frame.flags = flags
        frame.messageID = messageID
        frame.payload = payload[...]
        send(frame)
    }

    /// Requests the container, and the sessions.
    func requestMuch(_ welcome: Welcome) {
        var snapshot = Frame(.synchronize)
        snapshot.epoch = welcome.epoch
        send(snapshot)
        // No parameters.
        request("hostSessions", payload: [0xa0])
    }

    /// Waits for the welcome, and discards what comes before it.
    func welcome() async throws -> Welcome? {
        for _ in 0..<100 {
            if let bytes = try socket.receive()?.bytes, let frame = try? Frame(bytes), frame.kind == .welcome {
                return try frame.decodePayload(as: Welcome.self)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return nil
    }
}
