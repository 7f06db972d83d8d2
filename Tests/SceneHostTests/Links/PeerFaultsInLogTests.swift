import Bus
import CBOR
import InMemoryLogging
import Logging
import TestKit
import Testing

@testable import Hub
@testable import SceneHost

extension LiveTests {
    /// What an operator reads about peers that are at fault.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct PeerFaultsInLogTests {
        private func entries(
            _ message: Logger.Message, about peer: String, in handler: InMemoryLogHandler
        ) -> [InMemoryLogHandler.Entry] {
            handler.entries.filter { $0.message == message && $0.metadata["peer"] == .string(peer) }
        }

        @Test("A peer that is detached for a fault is a warning with its process, and one that says goodbye is none")
        func detached() async throws {
            let (logger, handler) = HostileTextTests.logger()
            try await withHost(logger: logger) { live in
                let liar = try live.raw()
                _ = try await liar.hello("liar")
                let pid = try #require(live.link(named: "liar")?.hello.pid)
                let polite = try live.raw()
                _ = try await polite.hello("polite")
                var heartbeat = Frame(.heartbeat)
                heartbeat.id = 1
                heartbeat.payload = try CBOREncoder().encode(Heartbeat(received: 1 << 40))[...]
                try liar.send(heartbeat.encoded())
                try polite.send(Frame(.goodbye).encoded())
                try await live.until("both are detached") {
                    live.link(named: "liar") == nil && live.link(named: "polite") == nil
                }
                let fault = try #require(entries("detached", about: "liar", in: handler).first)
                #expect(fault.level == .warning)
                #expect(fault.metadata["pid"] == .string("\(pid)"))
                #expect(fault.metadata["reason"] == .string("\(Departure.misreports)"))
                #expect(entries("detached", about: "polite", in: handler).map(\.level) == [.info])
            }
        }
    }
}
