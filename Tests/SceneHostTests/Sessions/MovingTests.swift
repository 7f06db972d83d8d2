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
    /// Scenes that an operator moves to another worker.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct MovingTests {
        @Test("A moved scene resumes at its page under a new token, and the old worker keeps nothing")
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
                try await live.until("the old scene is gone") { first.application.openSessions.isEmpty }
            }
        }

        @Test("Inputs that arrive while a scene moves wait, and are delivered in order")
        func inputs() async throws {
            try await withHost { live in
                try await live.worker("one")
                let client = try await live.client()
                let id = try await client.open()
                let second = try await live.worker("two")
                let moving = Task { try await client.chain.hostMove(session: id, worker: nil) }
                // One link sends them, so they arrive in this order.
                let acts = (1...20).map { number in Task { try await client.act(id, "show", "\(number)") } }
                for (index, act) in acts.enumerated() { #expect(try await act.value.title == "item(\(index + 1))") }
                #expect(try await moving.value.worker == "two")
                #expect(second.wall?.rootViewController.viewControllers.count == 21)
            }
        }

        @Test("An input that is still running finishes before its scene is frozen for a move")
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

        @Test("A scene stays in its worker when the move's target cannot read its state")
        func olderWorker() async throws {
            try await withHost { live in
                let process = try PeerProcess(endpoint: live.ipc, peer: BusName("new"), logger: LiveHost.logger)
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

        @Test("A drained worker's scenes move elsewhere, and it gets no new ones until it is undrained")
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
                try await live.until("two sessions have moved") {
                    try await client.chain.hostWorkers().map(\.sessions) == [1, 2]
                }
                for (number, id) in ids.enumerated() {
                    #expect(try await client.chain.hostSceneContent(session: id).title == "item(\(number))")
                }
                // The last session follows as soon as there is room.
                try await live.worker("three", capacity: 5)
                try await live.until("no sessions") { try await client.chain.hostWorkers()[0].sessions == 0 }
                let other = try await client.open()
                #expect(try await client.chain.hostSessions().first { $0.session == other }?.worker == "three")
                #expect(try await client.chain.hostDrain(worker: "one", isDraining: false).isDraining == false)
            }
        }

        @Test("A session that is closed while its scene moves is not saved after its deletion")
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
                // The scene is frozen while the deletion is being written to disk.
                let token = try sessions.session(id).token
                sessions.perform(sessions.table.frozen(id, token: token, state: nil))
                try await closing.value
                #expect(try await client.chain.hostSessions().isEmpty)
            }
            #expect(try await HostStore(path: store).sessions().isEmpty)
        }

        @Test("A move to an unknown worker, to the session's own worker or without any room is refused with the reason")
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

        @Test("When its host stops, a scene is suspended, and it resumes in place with the next host")
        func hostRestarts() async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            let context = SocketContext()
            var worker: SceneWorker?
            var running: Task<Void, any Error>?
            var id = ""
            try await withHost(in: folder, configure: { $0.store = store }) { live in
                // Not in the host's own context, because this worker outlives the host.
                let mine = try live.makeWorker("wall", context: context)
                worker = mine
                running = Task { try await mine.run() }
                try await live.until("the worker is attached") { live.link(named: "wall")?.isSynchronized == true }
                let client = try await live.client()
                id = try await client.open()
                _ = try await client.act(id, "show", "3")
                await live.endHost()
            }
            let scene = try #require(worker?.application.connectedScenes.first)
            #expect(scene.isSuspended)
            // A renewed lease does not resume the scenes that are left from an earlier link.
            worker?.peer.link.scenes?.leaseRenewed()
            #expect(scene.isSuspended)
            let screen = try #require(worker?.screen)
            // A request that the scene sends meanwhile waits for the host.
            let greeting = Task { try await screen.chain.greetingSay(name: "Ada") }
            try await withHost(in: folder, configure: { $0.store = store }) { live in
                let greeter = Greeter("greeter")
                try await live.plugin("greeter") { $0.respond(greeter, to: GreetingMessagesList.self) }
                try await live.until("the scene has resumed") { !scene.isSuspended }
                #expect(try await greeting.value == "greeter greets Ada")
                let client = try await live.client()
                #expect(try await client.chain.hostSceneContent(session: id).title == "item(3)")
                #expect(worker?.application.connectedScenes.first === scene)
                running?.cancel()
                _ = await running?.result
            }
        }

        @Test("Scenes stay with their workers over repeated orderly restarts of their host")
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
                        // Not in the host's own context, because these workers outlive the host. Each has room for all
                        // scenes.
                        for name in ["one", "two"] {
                            let worker = try live.makeWorker(name, capacity: 4, context: context)
                            running.append(Task { try await worker.run() })
                        }
                        try await live.until("both workers are attached") {
                            ["one", "two"].allSatisfy { live.link(named: $0)?.isSynchronized == true }
                        }
                        for _ in 0..<4 { _ = try await client.open() }
                    }
                    try await live.until("all scenes have resumed") {
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
