import Bus
import CoordinatorKit
import Hub
import TestKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// Operators' inputs to scenes.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct SceneInputTests {
        @Test("An input that is sent again goes before a newer one that already waits for the scene")
        func sentAgain() async throws {
            try await withHost(configure: { $0.placementTimeout = .seconds(60) }) { live in
                let raw = try await live.rawWorker(named: "raw", capacity: 1)
                let client = try await live.client()
                let opening = Task { try await client.open() }
                let connect = try await raw.next("sceneConnect")
                let sessions = try #require(live.host.life?.sessions)
                let (older, newer) = (sessions.nextInputOrder(), sessions.nextInputOrder())
                var run: [String] = []
                sessions.whenRunning(connect.session, order: newer, within: .seconds(60)) { _ in run.append("newer") }
                // An earlier scene of the session did not receive this one.
                sessions.whenRunning(connect.session, order: older, within: .seconds(60)) { _ in run.append("older") }
                #expect(run == [])
                try raw.reply(to: connect)
                #expect(try await opening.value == connect.session)
                try await live.until("both inputs have run") { run.count == 2 }
                #expect(run == ["older", "newer"])
            }
        }

        @Test("A scene has as much time for an input as its sender waits")
        func timeout() async throws {
            try await withHost { live in
                let raw = try await live.rawWorker(named: "raw", capacity: 1)
                let client = try await live.client()
                let id = try await client.open(at: raw)
                let acting = Task {
                    try await client.chain.within(.seconds(3600))
                        .hostSceneAct(session: id, action: "wait", fields: [:])
                }
                let act = try await raw.next("sceneAct")
                let timeLeft: Duration = live.host.hub.clock.instant(of: act.deadline) - .now
                #expect(timeLeft > .seconds(600))
                acting.cancel()
                _ = await acting.result
            }
        }
    }
}
