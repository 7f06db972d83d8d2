import Messaging
import Bus
import InMemoryLogging
import Logging
import PeerLink
import Testing
import ZeroMQ

@testable import PluginKit

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct PeerTests {
    @Test("A peer says once at its start that it attaches over TCP without keys", arguments: [true, false])
    func withoutKeys(hasKeys: Bool) async throws {
        let handler = InMemoryLogHandler()
        let context = SocketContext()
        var configuration = LinkConfiguration(
            endpoint: "tcp://127.0.0.1:1", role: .plugin, peer: "shelf", context: context)
        if hasKeys { configuration.security = LinkSecurity(keys: try KeyPair(), host: try KeyPair().publicKey) }
        let peer = Peer(
            configuration, hasParent: false, services: ServiceDirectory(),
            logger: Logger(label: "test") { [handler] _ in handler })
        let running = Task { try await peer.run() }
        // Its first attempt has begun, so it has said all that it says at its start.
        while peer.link.generation == 0 { await Task.yield() }
        let warnings = handler.entries.filter {
            $0.level == .warning && $0.message.description.contains("without keys")
        }
        #expect(warnings.count == (hasKeys ? 0 : 1))
        running.cancel()
        _ = await running.result
        #expect(context.openSockets == 0)
    }
}
