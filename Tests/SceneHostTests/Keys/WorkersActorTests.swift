import Bus
import CoordinatorKit
import Messaging
import PeerLink
import PluginKit
import TestKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// For whom a worker with a key acts.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct WorkersActorTests {
        private static let own = MessageActor(role: .worker, peer: "wall", key: "wall")

        /// Sends a greeting because of a message that was handed to a worker, and waits for the reply.
        private func say(
            _ name: String, from worker: RawPeer, because parent: Frame, in session: String = "", token: UInt64 = 0,
            passesOn: Bool = false
        ) async throws {
            var frame = Frame(.request, name: "greetingSay")
            frame.id = .random(in: 1...UInt64(Int64.max))
            (frame.parent, frame.session, frame.token) = (parent.id, session, token)
            if passesOn { frame.flags.insert(.passedOn) }
            try worker.send(frame.encoded(payload: GreetingMessagesList.greetingSay(name: name)))
            #expect(try await worker.next(.reply).id == frame.id)
        }

        @Test("What a worker sends because of an operator is the operator's act in a session, and its own without one")
        func sessions() async throws {
            let delegate = GreetingDelegate()
            try await KeyedHost.with(delegate: delegate, handles: [GreetingMessagesList.self]) { host in
                try await host.allow("wall worker")
                let worker = try await host.rawWorker("wall")
                let desk = try await host.live.client(named: "desk")
                let opening = Task { try await desk.open() }
                let connect = try await worker.makeScene().decodePayload(as: SceneMessagesList.sceneConnect.self)
                let session = try await opening.value
                let acting = Task { try await desk.act(session, "greet", "Ada") }
                let asked = try await worker.next("sceneAct")
                try await say("in", from: worker, because: asked, in: session, token: connect.token)
                try await say("out", from: worker, because: asked)
                try await say("as if passed on", from: worker, because: asked, passesOn: true)
                let peer = desk.link.configuration.peer
                #expect(
                    delegate.heard.map(\.actor) == [MessageActor(role: .operator, peer: peer), Self.own, Self.own])
                acting.cancel()
                _ = await acting.result
            }
        }

        @Test("A handler can tell what the one who acts has sent itself from what others send because of that")
        func sentByActor() async throws {
            let delegate = GreetingDelegate()
            try await withHost(delegate: delegate, handles: [GreetingMessagesList.self]) { live in
                let greeter = Greeter("plugin", passesOn: true)
                try await live.plugin("greeter") { $0.respond(greeter, to: GreetingMessagesList.self) }
                let desk = try await live.client(named: "desk")
                _ = try await desk.chain.greetingSay(name: "Ada")
                let actor = MessageActor(role: .operator, peer: desk.link.configuration.peer)
                #expect((greeter.heard + delegate.heard).map(\.actor) == [actor, actor])
                #expect((greeter.heard + delegate.heard).map(\.isSentByActor) == [true, false])
            }
        }

        @Test("A worker passes on what it handles as the act of the one who sent it, and nothing else")
        func passingOn() async throws {
            let delegate = GreetingDelegate()
            try await KeyedHost.with(delegate: delegate, handles: [GreetingMessagesList.self]) { host in
                try await host.allow("wall worker")
                let worker = try await host.attached(
                    "wall", role: .worker, handles: ["greetingSay", "greetingForever"])
                let desk = try await host.live.client(named: "desk")
                let saying = Task { _ = try await desk.chain.greetingSay(name: "Ada") }
                let waiting = Task { try await desk.chain.greetingForever() }
                let said = try await worker.next("greetingSay")
                let other = try await worker.next("greetingForever")
                try await say("Ada", from: worker, because: said, passesOn: true)
                try await say("Ben", from: worker, because: other, passesOn: true)
                try await say("Eve", from: worker, because: said)
                let peer = desk.link.configuration.peer
                #expect(
                    delegate.heard.map(\.actor) == [MessageActor(role: .operator, peer: peer), Self.own, Self.own])
                for task in [saying, waiting] {
                    task.cancel()
                    _ = await task.result
                }
            }
        }
    }
}
