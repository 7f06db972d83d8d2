import Messaging
import Bus
import CBOR
import CoordinatorKit
import PeerLink
import PluginKit
import TestKit
import Testing

@testable import SceneWorker

/// A scene worker on a host that commands it as a test lets it.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SceneResponderTests {
    @Test("The hello offers the worker's scenes and its capacity")
    func hello() async throws {
        try await withWorker { running in
            let hello = try #require(running.host.hello)
            #expect(hello.role == .worker)
            #expect(hello.scenes == ["Board"])
            #expect(hello.capacity == 4)
            #expect(hello.held ?? [] == [])
        }
    }

    @Test("A connected scene takes inputs, and shows what they did")
    func inputs() async throws {
        try await withWorker { running in
            try await running.connect()
            #expect(try await running.act("count") == ["1", ""])
            #expect(try await running.act("count") == ["2", ""])
            let content = try await running.reply(to: SceneMessagesList.sceneContent(session: "s"))
            #expect(content.texts == ["2", ""])
        }
    }

    @Test("What the scene shows is not in the reply to an action if nobody wants it")
    func withoutContent() async throws {
        try await withWorker { running in
            try await running.connect()
            let act = SceneMessagesList.sceneAct(
                session: "s", layer: nil, action: "count", fields: [:], content: false)
            #expect(try await running.reply(to: act) == ScreenContent())
            #expect(try await running.act("count") == ["2", ""])
        }
    }

    @Test("An action that was performed in another layer than the scene shows is refused")
    func layer() async throws {
        try await withWorker { running in
            try await running.connect()
            let scene = try #require(running.worker.application.connectedScenes.first)
            let layer = try #require(scene.window?.layers.top?.key)
            @MainActor func count(in layer: String) async throws -> [String] {
                try await running.reply(
                    to: SceneMessagesList.sceneAct(
                        session: "s", layer: layer, action: "count", fields: [:], content: nil)
                ).texts
            }
            #expect(await running.code { _ = try await count(in: "another") } == .refused)
            #expect(try await count(in: layer) == ["1", ""])
        }
    }

    @Test("A frozen scene takes no input, and is given back its state; resumed, it continues")
    func frozen() async throws {
        try await withWorker { running in
            try await running.connect()
            _ = try await running.act("keep", ["text": "hello"])
            let state = try #require(try await running.freeze())
            #expect(await running.code { _ = try await running.act("count") } == .suspended)
            #expect(await running.code { _ = try await running.freeze() } == .suspended)
            _ = try await running.reply(to: SceneMessagesList.sceneResume(session: "s", token: 2), token: 2)
            #expect(try await running.act("count", token: 2) == ["1", "hello"])
            // The state starts the session's next scene.
            _ = try await running.reply(to: SceneMessagesList.sceneDiscard(session: "s", token: 2), token: 2)
            try await running.connect(token: 3, state: state)
            #expect(try await running.act("count", token: 3) == ["1", "hello"])
        }
    }

    @Test("Freezing waits for the input that the scene handles, and its effect is in the scene")
    func freezeWaits() async throws {
        try await withWorker { running in
            try await running.connect()
            let act = try running.send(
                SceneMessagesList.sceneAct(session: "s", layer: nil, action: "wait", fields: [:], content: nil))
            try await running.host.until("the input is handled") { BoardScreen.waiting != nil }
            let freeze = try running.send(SceneMessagesList.sceneFreeze(session: "s"))
            // The worker handles this command, which comes later, and not the freeze.
            _ = try await running.reply(to: SceneMessagesList.sceneContent(session: "s"))
            #expect(!running.host.replies.contains { $0.id == freeze })
            BoardScreen.waiting?.resume()
            BoardScreen.waiting = nil
            #expect(try await running.end(of: act, as: ScreenContent.self).texts == ["100", ""])
            _ = try await running.end(of: freeze, as: CBORRaw?.self)
            #expect(await running.code { _ = try await running.act("count") } == .suspended)
        }
    }

    @Test("A freeze that the host cancels leaves the scene active")
    func freezeCancelled() async throws {
        try await withWorker { running in
            try await running.connect()
            _ = try running.send(
                SceneMessagesList.sceneAct(session: "s", layer: nil, action: "wait", fields: [:], content: nil))
            try await running.host.until("the input is handled") { BoardScreen.waiting != nil }
            var cancel = Frame(.cancel)
            cancel.id = try running.send(SceneMessagesList.sceneFreeze(session: "s"))
            running.host.say(cancel.encoded())
            let ended = cancel.id
            try await running.host.until("it has ended") { running.host.replies.contains { $0.id == ended } }
            #expect(try await running.act("count") == ["1", ""])
        }
    }

    @Test("Commands with the token of an earlier placement are refused, and end no newer scene")
    func staleToken() async throws {
        try await withWorker { running in
            try await running.connect(token: 5)
            #expect(await running.code { _ = try await running.act("count", token: 4) } == .staleToken)
            _ = try await running.reply(to: SceneMessagesList.sceneDiscard(session: "s", token: 4), token: 4)
            #expect(try await running.act("count", token: 5) == ["1", ""])
            _ = try await running.reply(to: SceneMessagesList.sceneDiscard(session: "s", token: 5), token: 5)
            #expect(await running.code { _ = try await running.act("count", token: 5) } == .unknownSession)
        }
    }

    @Test("A question what a scene shows ends when nobody waits for its answer any more")
    func cancelledQuestion() async throws {
        try await withWorker { running in
            try await running.connect()
            let scenes = try running.scenes
            let first = try await scenes.sceneWatch(session: "s", known: nil)
            let question = Task { try await scenes.sceneWatch(session: "s", known: first.revision.number) }
            try await running.host.until("it waits") { !scenes.watchers.isEmpty }
            question.cancel()
            await #expect(throws: CancellationError.self) { try await question.value }
            #expect(scenes.watchers.isEmpty)
        }
    }

    @Test("The picture of what an action has changed is sent before the action's reply, which has the whole screen")
    func pictureBeforeReply() async throws {
        try await withWorker { running in
            try await running.connect()
            var known = try await running.reply(to: SceneMessagesList.sceneWatch(session: "s", known: nil)).revision
            for number in 1...20 {
                let watch = try running.send(SceneMessagesList.sceneWatch(session: "s", known: known.number))
                let shown = try await running.act("count")
                #expect(shown.first == "\(number)")
                let answer = try await running.end(of: watch, as: SceneUpdate.self)
                #expect(answer.difference != nil)
                known = answer.revision
                // The last but one is the answer: the reply to the action is the last.
                #expect(running.host.replies.dropLast().last?.id == watch)
            }
        }
    }

    @Test("A worker that cannot read the state, or does not know the configuration, says which")
    func refused() async throws {
        try await withWorker { running in
            #expect(
                await running.code { try await running.connect(state: try CBORRaw(encoding: 5)) } == .unreadableState)
            let other = SceneMessagesList.sceneConnect(
                session: "s", role: SceneSession.Role.windowApplication.rawValue, configuration: "Other", token: 1,
                state: nil, links: [])
            #expect(await running.code { _ = try await running.reply(to: other) } == .unknownConfiguration)
            #expect(await running.code { _ = try await running.act("count") } == .unknownSession)
        }
    }

    @Test("A scene whose link is lost is suspended, is named in the next hello, and continues at the host's word only")
    func lostLink() async throws {
        try await withWorker { running in
            try await running.connect(token: 5)
            let scene = try #require(running.worker.application.connectedScenes.first)
            let hellos = running.host.hellos
            running.host.say(Frame(.goodbye).encoded())
            try await running.host.until("it is attached again") {
                running.host.hellos > hellos && running.worker.peer.link.isReady
            }
            #expect(scene.isSuspended)
            #expect(running.host.hello?.held == [HeldScene(session: "s", token: 5)])
            #expect(await running.code { _ = try await running.act("count", token: 5) } == .suspended)
            _ = try await running.reply(to: SceneMessagesList.sceneResume(session: "s", token: 6), token: 6)
            #expect(!scene.isSuspended)
            #expect(try await running.act("count", token: 6) == ["1", ""])
        }
    }
}
