import Bus
import CBOR
import CoordinatorKit
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
                let reason = "\(Departure.misreports)"
                #expect(fault.metadata["reason"] == .string(reason))
                // A peer that returns no marks must be told what to do, or it begins anew for ever.
                #expect(reason.contains("return each 'mark'"))
                #expect(entries("detached", about: "polite", in: handler).map(\.level) == [.info])
            }
        }

        @Test("A peer that is detached for a fault again and again is a warning once a minute")
        func detachedAgain() async throws {
            let (logger, handler) = HostileTextTests.logger()
            try await withHost(logger: logger) { live in
                var heartbeat = Frame(.heartbeat)
                heartbeat.id = 1
                heartbeat.payload = try CBOREncoder().encode(Heartbeat(received: 1 << 40))[...]
                for _ in 0..<5 {
                    let liar = try live.raw()
                    _ = try await liar.hello("liar")
                    try liar.send(heartbeat.encoded())
                    try await live.until("it is detached") { live.link(named: "liar") == nil }
                }
                let levels = entries("detached", about: "liar", in: handler).map(\.level)
                #expect(levels == [.warning, .debug, .debug, .debug, .debug])
            }
        }

        @Test("Checkpoints that are refused are counted, and logged once, however many there are")
        func checkpoints() async throws {
            let (logger, handler) = HostileTextTests.logger()
            try await withHost(logger: logger) { live in
                let worker = try await live.rawWorker(named: "wall", capacity: 1)
                var post = Frame(.post)
                post.name = SceneReportMessagesList.sceneCheckpoint.name
                let state = try CBORRaw(encoding: UserActivity(activityType: "forged"))
                let report = SceneReportMessagesList.sceneCheckpoint(session: "wall", state: state)
                for _ in 0..<5 { try worker.send(post.encoded(payload: report)) }
                try await live.until("all are counted") {
                    live.host.hub.counters.values["refused: checkpoint"] == 5
                }
                let lines = handler.entries.filter { $0.message == "a checkpoint was refused" }
                #expect(lines.map { $0.metadata["session"] } == [.string("wall")])
            }
        }

        @Test("An entry without room is logged with its size and the limit, and once, however often it is set")
        func noRoom() async throws {
            let (logger, handler) = HostileTextTests.logger()
            try await withHost(logger: logger) { live in
                let raw = try live.raw()
                _ = try await raw.hello("machine", provides: ["k7"])
                let link = try #require(live.link(named: "machine"))
                link.traffic.account.set(PeerAccount.limit - 1000, for: .hello)
                var publish = Frame(.publish)
                let value = try CBOREncoder().encode(String(repeating: "x", count: 2000))
                publish.payload = DependencyPayload.encode(["k7": value])[...]
                for _ in 0..<5 { try raw.send(publish.encoded()) }
                try await live.until("all are counted") {
                    live.host.hub.counters.values["refused: entry without room"] == 5
                }
                let lines = entries(
                    """
                    a peer set entries for which there is no room, so they keep their earlier values: it must set less, or \
                    those that have more must
                    """,
                    about: "machine", in: handler)
                #expect(lines.count == 1)
                #expect(lines.first?.metadata["keys"] == .string("k7 (2003 bytes)"))
                #expect(lines.first?.metadata["has"] == .string("0 bytes of 1000 bytes"))
            }
        }
    }
}
