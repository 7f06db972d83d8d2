@testable import Hub
import TestKit
import Bus
import CoordinatorKit
import PeerLink
import PluginKit
import Testing
import ZeroMQ

@testable import SceneHost
@testable import SceneWorker

/// A wall whose state an older worker cannot read.
@MainActor
private final class NewerWall: WallCoordinator {
    override class var stateVersion: Int { 2 }
}

extension LiveTests {
    /// Scenes that go on in another worker, because an operator wants it.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct MovingTests {
        @Test("a moved scene goes on at its page, under a new token, and nothing is left where it was")
        func move() async throws {
            try await withHost { live in
                let first = try await live.worker("one")
                let client = try await live.client()
                let id = try await client.open()
                _ = try await client.act(id, "show", "3")
                _ = try await client.act(id, "keep", "remember me")
                let before = try await client.chain.hostSessions()[0]
                let second = try await live.worker("two")
                let after = try await client.chain.hostMove(session: id, worker: "two")
                #expect(after.worker == "two")
                #expect(after.state == .running)
                #expect(after.token > before.token)
                let content = try await client.chain.hostSceneContent(session: id)
                #expect(content.title == "item(3)")
                #expect(content.texts.contains("remember me"))
                #expect(second.application.connectedScenes.count == 1)
                try await live.until("the old one is gone") { first.application.openSessions.isEmpty }
            }
        }

        @Test("inputs that come while a scene moves wait, and arrive in their order")
        func inputs() async throws {
            try await withHost { live in
                try await live.worker("one")
                let client = try await live.client()
                let id = try await client.open()
                let second = try await live.worker("two")
                let moving = Task { try await client.chain.hostMove(session: id, worker: nil) }
                // Sent by one link: they come in this order.
                let acts = (1...20).map { number in Task { try await client.act(id, "show", "\(number)") } }
                for (index, act) in acts.enumerated() { #expect(try await act.value.title == "item(\(index + 1))") }
                #expect(try await moving.value.worker == "two")
                #expect(second.wall?.rootViewController.viewControllers.count == 21)
            }
        }

        @Test("an input that is not done yet is done before its scene stands still")
        func slowInput() async throws {
            try await withHost { live in
                let greeter = Greeter("greeter")
                try await live.plugin("greeter") { $0.respond(greeter, to: GreetingMessagesList.self) }
                try await live.worker("one")
                try await live.worker("two")
                let client = try await live.client()
                let id = try await client.open()
                let act = Task { try await client.act(id, "greet", "Ada") }
                _ = try await client.chain.hostMove(session: id, worker: nil)
                #expect(try await act.value.texts.first == "greeter greets Ada")
            }
        }

        @Test("a worker that cannot read a scene's state leaves it where it can be read")
        func olderWorker() async throws {
            try await withHost { live in
                let process = PeerProcess(endpoint: live.ipc, peer: "new", logger: LiveHost.logger)
                let newer = try SceneWorker(
                    process, version: "2.0.0", capacity: 1,
                    scenes: [SceneConfiguration(name: "Wall", delegateClass: WindowSceneDelegate<NewerWall>.self)],
                    delegate: AppDelegate(), context: live.context)
                try await live.attach(newer, named: "new") { try await newer.run() }
                let client = try await live.client()
                let id = try await client.open()
                _ = try await client.act(id, "show", "3")
                try await live.worker("old")
                let error = await #expect(throws: RemoteError.self) {
                    try await client.chain.hostMove(session: id, worker: "old")
                }
                #expect(error?.message.contains("version 2") == true)
                #expect(try await client.chain.hostSessions()[0].worker == "new")
                #expect(try await client.act(id, "show", "4").title == "item(4)")
            }
        }

        @Test("a drained worker's scenes go on elsewhere, and it gets no more until it is let")
        func drain() async throws {
            try await withHost { live in
                try await live.worker("one", capacity: 3)
                let client = try await live.client()
                var ids: [String] = []
                for number in 0..<3 {
                    ids.append(try await client.open())
                    _ = try await client.act(ids[number], "show", "\(number)")
                }
                try await live.worker("two", capacity: 2)
                #expect(try await client.chain.hostDrain(worker: "one", isDraining: true).isDraining)
                try await live.until("two are elsewhere") {
                    try await client.chain.hostWorkers().map(\.sessions) == [1, 2]
                }
                for (number, id) in ids.enumerated() {
                    #expect(try await client.chain.hostSceneContent(session: id).title == "item(\(number))")
                }
                // The last one follows as soon as there is room.
                try await live.worker("three", capacity: 5)
                try await live.until("it is empty") { try await client.chain.hostWorkers()[0].sessions == 0 }
                let other = try await client.open()
                #expect(try await client.chain.hostSessions().first { $0.session == other }?.worker == "three")
                #expect(try await client.chain.hostDrain(worker: "one", isDraining: false).isDraining == false)
            }
        }

        @Test("a session that is closed while its scene moves is not written behind its end")
        func closed() async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            try await withHost(in: folder, configure: { $0.store = store }) { live in
                try await live.worker("one")
                let client = try await live.client()
                let id = try await client.open()
                try await live.worker("two")
                let sessions = try #require(live.host.life?.sessions)
                sessions.perform(try sessions.table.move(id, to: nil))
                let closing = Task.immediate { try await sessions.close(id) }
                // It stands still while its end is on the way to the disk.
                let token = try sessions.session(id).token
                sessions.perform(sessions.table.frozen(id, token: token, state: nil))
                try await closing.value
                #expect(try await client.chain.hostSessions().isEmpty)
            }
            #expect(try await HostStore(path: store).sessions().isEmpty)
        }

        @Test("a move to a worker that is not there, has no room or has it already is refused with the reason")
        func refusals() async throws {
            try await withHost { live in
                try await live.worker("one")
                let client = try await live.client()
                let id = try await client.open()
                for (worker, reason) in [("nobody", "no worker is called"), ("one", "already")] {
                    let error = await #expect(throws: RemoteError.self) {
                        try await client.chain.hostMove(session: id, worker: worker)
                    }
                    #expect(error?.message.contains(reason) == true)
                }
                let error = await #expect(throws: RemoteError.self) {
                    try await client.chain.hostMove(session: id, worker: nil)
                }
                #expect(error?.message.contains("no other worker") == true)
            }
        }

        @Test("a scene whose host ends stands still, and goes on where it was when the next host is there")
        func hostRestarts() async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            let context = SocketContext()
            var worker: SceneWorker?
            var running: Task<Void, any Error>?
            var id = ""
            try await withHost(in: folder, configure: { $0.store = store }) { live in
                // Not the host's own, for it outlives it.
                let mine = try live.makeWorker("wall", context: context)
                worker = mine
                running = Task { try await mine.run() }
                try await live.until("it is attached") { live.link(named: "wall")?.isSynchronized == true }
                let client = try await live.client()
                id = try await client.open()
                _ = try await client.act(id, "show", "3")
                await live.endHost()
            }
            let scene = try #require(worker?.application.connectedScenes.first)
            #expect(scene.isSuspended)
            // A lease that is renewed says nothing of the scenes that an earlier link has left behind.
            worker?.peer.link.scenes?.leaseRenewed()
            #expect(scene.isSuspended)
            let screen = try #require(worker?.screen)
            // What it says meanwhile waits for the host.
            let greeting = Task { try await screen.chain.greetingSay(name: "Ada") }
            try await withHost(in: folder, configure: { $0.store = store }) { live in
                let greeter = Greeter("greeter")
                try await live.plugin("greeter") { $0.respond(greeter, to: GreetingMessagesList.self) }
                try await live.until("it goes on") { !scene.isSuspended }
                #expect(try await greeting.value == "greeter greets Ada")
                let client = try await live.client()
                #expect(try await client.chain.hostSceneContent(session: id).title == "item(3)")
                #expect(worker?.application.connectedScenes.first === scene)
                running?.cancel()
                _ = await running?.result
            }
        }

        @Test("scenes stay with their workers when their host is restarted in order, time and again")
        func orderlyRestarts() async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            let context = SocketContext()
            var running: [Task<Void, any Error>] = []
            var before: [String: String?] = [:]
            for round in 0...6 {
                try await withHost(in: folder, configure: { $0.store = store }) { live in
                    let client = try await live.client()
                    if round == 0 {
                        // Not the host's own, for they outlive it. Each could take all.
                        for name in ["one", "two"] {
                            let worker = try live.makeWorker(name, capacity: 4, context: context)
                            running.append(Task { try await worker.run() })
                        }
                        try await live.until("both are attached") {
                            ["one", "two"].allSatisfy { live.link(named: $0)?.isSynchronized == true }
                        }
                        for _ in 0..<4 { _ = try await client.open() }
                    }
                    try await live.until("all scenes go on") {
                        try await client.chain.hostStatus().connectedScenes == 4
                    }
                    let sessions = try await client.chain.hostSessions()
                    let now = Dictionary(uniqueKeysWithValues: sessions.map { ($0.session, $0.worker) })
                    if round > 0 { #expect(now == before, "round \(round)") }
                    before = now
                    await live.endHost()
                }
            }
            for task in running {
                task.cancel()
                _ = await task.result
            }
        }
    }
}
