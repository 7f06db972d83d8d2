import Messaging
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

        @Test("An input that is cancelled while it waits for its scene is dropped at once")
        func cancelledWhileWaiting() async throws {
            try await withHost(configure: { $0.placementTimeout = .seconds(60) }) { live in
                let worker = try await live.rawWorker(named: "raw", capacity: 1)
                let client = try await live.client()
                let opening = Task { try await client.open() }
                let connect = try await worker.next("sceneConnect")
                let sessions = try #require(live.host.life?.sessions)
                let sender = try live.raw()
                #expect(try await sender.hello("sender", role: .operator).kind == .welcome)
                let waiting = sessions.inputs.count
                let count = 100
                for id in 1...UInt64(count) {
                    let act = HostMessagesList.hostSceneAct(session: connect.session, action: "add", fields: [:])
                    var frame = Frame(.request)
                    frame.id = id
                    frame.name = HostMessagesList.hostSceneAct.name
                    frame.deadline = live.host.hub.clock.microseconds(at: .now + .seconds(86_400))
                    try sender.send(frame.encoded(payload: act))
                }
                try await live.until("all inputs wait") { sessions.inputs.count == waiting + count }
                for id in 1...UInt64(count) {
                    var cancel = Frame(.cancel)
                    cancel.id = id
                    try sender.send(cancel.encoded())
                }
                for _ in 1...count { _ = try await sender.next(.failure) }
                #expect(sessions.inputs.count == waiting)
                #expect(sessions.inputs.deadlineCount < count)
                try worker.reply(to: connect)
                #expect(try await opening.value == connect.session)
            }
        }

        @Test("The inputs of one peer that wait for their scene leave room for those of others")
        func shares() async throws {
            try await withHost(configure: { $0.placementTimeout = .seconds(60) }) { live in
                let worker = try await live.rawWorker(named: "raw", capacity: 1)
                let client = try await live.client()
                let sessions = try #require(live.host.life?.sessions)
                sessions.inputs = SessionBook.Inputs(limit: 20)
                let opening = Task { try await client.open() }
                let connect = try await worker.next("sceneConnect")
                let (greedy, other) = (try live.raw(), try live.raw())
                #expect(try await greedy.hello("greedy", role: .operator).kind == .welcome)
                #expect(try await other.hello("other", role: .operator).kind == .welcome)
                @MainActor func act(_ raw: RawPeer, _ id: UInt64) throws {
                    let act = HostMessagesList.hostSceneAct(session: connect.session, action: "add", fields: [:])
                    var frame = Frame(.request)
                    frame.id = id
                    frame.name = HostMessagesList.hostSceneAct.name
                    try raw.send(frame.encoded(payload: act))
                }
                for id in 1...40 as ClosedRange<UInt64> { try act(greedy, id) }
                let refused = try await greedy.next(.failure)
                let error = try refused.decodePayload(as: FailureEncoding.self).error as? RemoteError
                #expect(error?.sceneCommandCode == .overloaded)
                for _ in (refused.id + 1)...40 { _ = try await greedy.next(.failure) }
                let before = sessions.inputs.count
                #expect(before <= 10)
                try act(other, 1)
                try await live.until("the other peer's input waits") { sessions.inputs.count == before + 1 }
                try worker.reply(to: connect)
                #expect(try await opening.value == connect.session)
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
