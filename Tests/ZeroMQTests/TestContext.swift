import TestKit
import Testing
import ZeroMQ

/// Runs a test with a context and an empty folder, and expects that the test closes every socket.
@MainActor
func withContext<Result>(
    _ body: @MainActor (SocketContext, _ folder: String) async throws -> Result
) async throws -> Result {
    let context = SocketContext()
    let folder = try TemporaryFolder()
    let result = try await body(context, folder.path)
    #expect(context.openSockets == 0)
    return result
}

/// The transports that the bus uses.
enum Transport: CaseIterable {
    case inproc, ipc, tcp

    /// Returns an address to bind that no other test uses.
    func address(in folder: String) -> String {
        switch self {
        case .inproc: return "inproc://bus"
        case .ipc: return "ipc://\(folder)/bus"
        case .tcp: return "tcp://127.0.0.1:*"
        }
    }
}

extension SocketOptions {
    /// Options without queue limits: no message is dropped or refused.
    static var unbounded: SocketOptions {
        var options = SocketOptions()
        options.sendHighWaterMark = 0
        options.receiveHighWaterMark = 0
        // The main actor answers handshakes, and may be busy with other tests for longer than a peer waits.
        options.handshakeInterval = 120_000
        return options
    }

    static var mandatory: SocketOptions {
        var options = SocketOptions.unbounded
        options.isMandatory = true
        return options
    }
}
