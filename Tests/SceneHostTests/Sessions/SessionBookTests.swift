import Messaging
@testable import Hub
import TestKit
import Bus
import CBOR
import CoordinatorKit
import GRDB
import PeerLink
import PluginKit
import SceneWorker
import Testing
import ZeroMQ

@testable import SceneHost

extension LiveTests {
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct SessionBookTests {
        @Test("A session is opened, shown, acted on and closed")
        func life() async throws {
            try await withHost { live in
                let worker = try await live.worker("wall")
                let client = try await live.client()
                let id = try await client.open()
                let status = try #require(try await client.chain.hostSessions().first)
                #expect(status.session == id)
                #expect(status.configuration == "Wall")
                #expect(status.worker == "wall")
                #expect(status.problem == nil)
                #expect(try await client.chain.hostSceneContent(session: id).title == "home")
                #expect(try await client.act(id, "show", "3").title == "item(3)")
                #expect(worker.application.connectedScenes.count == 1)
                try await client.chain.hostCloseSession(session: id)
                #expect(try await client.chain.hostSessions().isEmpty)
                #expect(worker.application.connectedScenes.isEmpty)
                #expect(worker.application.openSessions.isEmpty)
                let error = try await #require(throws: RemoteError.self) {
                    try await client.chain.hostSceneContent(session: id)
                }
                #expect(error.code == "unknownSession")
            }
        }

        @Test("A configuration that no worker offers is refused with the list of those that are offered")
        func unknownConfiguration() async throws {
            try await withHost { live in
                let client = try await live.client()
                let none = try await #require(throws: RemoteError.self) { try await client.open() }
                #expect(none.code == "unknownConfiguration")
                #expect(none.message.contains("none"))
                try await live.worker("wall")
                let other = try await #require(throws: RemoteError.self) { try await client.open("Ceiling") }
                #expect(other.code == "unknownConfiguration")
                #expect(other.message.contains("'Ceiling'"))
                #expect(other.message.contains("Wall"))
            }
        }

        @Test(
            "While workers are still attaching, a session needs a configuration name, and the refusal says so",
            arguments: [false, true])
        func arriving(isAfterCrash: Bool) async throws {
            try await withHost(configure: { $0.placementTimeout = .milliseconds(50) }) { live in
                try await live.worker("wall")
                let client = try await live.client()
                // As when the host has just started.
                let old = SessionRecord(id: "old", role: "r", configuration: "Ceiling", position: 1)
                live.host.life?.sessions.table.start(
                    with: isAfterCrash ? [old] : [], isClean: false, expecting: isAfterCrash ? [] : ["other"],
                    at: .now + .seconds(3600))
                let error = try await #require(throws: RemoteError.self) { try await client.open() }
                #expect(error.code == "unknownConfiguration")
                for word in ["name a scene configuration", "try again", "on their way", "Wall"] {
                    #expect(error.message.contains(word))
                }
                let id = try await client.open("Ceiling")
                #expect(try await client.chain.hostSession(session: id).configuration == "Ceiling")
                // Once the workers are attached, the host knows what they offer.
                live.host.life?.sessions.table.endExpecting()
                live.host.life?.sessions.table.comingUntil = nil
                _ = live.host.life?.sessions.table.tick(at: .now + .seconds(7200))
                await #expect(throws: RemoteError.self) { try await client.open("Ceiling") }
            }
        }

        @Test("A session whose names would leave no room for its state is refused with the limit")
        func names() async throws {
            try await withHost { live in
                let client = try await live.client()
                let error = try await #require(throws: RemoteError.self) {
                    try await client.open(String(repeating: "x", count: 13_000))
                }
                #expect(error.code == "refused")
                #expect(error.message.contains("12288"))
                #expect(try await client.chain.hostSessions().isEmpty)
            }
        }

        @Test("A session waits while no worker has room, and gets the room of a closed session")
        func capacity() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let client = try await live.client()
                let first = try await client.open()
                let second = try await client.open()
                let waiting = try await client.chain.hostSessions()[1]
                #expect(waiting.worker == nil)
                #expect(waiting.problem?.contains("has room") == true)
                let error = try await #require(throws: RemoteError.self) { try await client.act(second, "keep") }
                #expect(error.code == "notConnected")
                try await client.chain.hostCloseSession(session: first)
                try await live.until("the session has its scene") {
                    try await client.chain.hostSessions().map(\.worker) == ["wall"]
                }
            }
        }

        @Test("Sessions are placed on the worker with the most room")
        func spread() async throws {
            try await withHost { live in
                try await live.worker("one", capacity: 2)
                try await live.worker("two", capacity: 2)
                let client = try await live.client()
                for _ in 0..<4 { _ = try await client.open() }
                let workers = try await client.chain.hostSessions().compactMap(\.worker)
                #expect(workers.sorted() == ["one", "one", "two", "two"])
                #expect(workers[0] != workers[1])
            }
        }

        @Test("When its worker leaves, a session is placed on another worker and continues from its state")
        func moved() async throws {
            try await withHost { live in
                let first = try await live.worker("one")
                let client = try await live.client()
                let id = try await client.open()
                _ = try await client.act(id, "show", "3")
                _ = try await client.act(id, "keep", "remember me")
                let before = try await client.chain.hostSessions()[0]
                await live.stop(first)
                try await live.until("the worker is detached") { live.link(named: "one") == nil }
                let orphan = try await client.chain.hostSessions()[0]
                #expect(orphan.worker == nil)
                #expect(orphan.problem?.contains("'Wall' is attached") == true)

                let second = try await live.worker("two")
                try await live.until("the session is placed again") {
                    try await client.chain.hostSessions()[0].worker == "two"
                }
                try await live.until("the second worker has its screen") { second.screen != nil }
                let content = try await client.chain.hostSceneContent(session: id)
                #expect(content.title == "item(3)")
                #expect(content.texts.contains("remember me"))
                #expect(second.wall?.rootViewController.viewControllers.count == 2)
                #expect(try await client.chain.hostSessions()[0].token > before.token)
            }
        }

        @Test("A state that changed without a visible change is kept when the worker shuts down")
        func quietState() async throws {
            try await withHost { live in
                let first = try await live.worker("one")
                let client = try await live.client()
                let id = try await client.open()
                try await live.until("the first checkpoint has arrived") {
                    try await client.chain.hostSessionState(session: id) != nil
                }
                _ = try await client.act(id, "keepQuietly", "psst")
                await live.stop(first)
                try await live.worker("two")
                try await live.until("the session is placed again") {
                    try await client.chain.hostSessions()[0].problem == nil
                }
                #expect(try await client.chain.hostSceneContent(session: id).texts.contains("psst"))
                #expect(live.host.hub.counters.values["refused: stale fencing token"] == nil)
            }
        }

        @Test("A state is stored soon after it changes, even without a visible change")
        func quietCheckpoint() async throws {
            try await withHost { live in
                try await live.worker("one")
                let client = try await live.client()
                let id = try await client.open()
                _ = try await client.act(id, "keepQuietly", "psst")
                try await live.until("the host has the state") {
                    let state = try await client.chain.hostSessionState(session: id)
                    return try state?.decode(as: CBORValue.self).json.contains("psst") == true
                }
            }
        }

        @Test("A link that a scene may have shown, or whose sender has left, is not offered to another scene")
        func openOnce() async throws {
            try await withHost { live in
                let raw = try await live.rawWorker(named: "mute", capacity: 2)
                let client = try await live.client()
                for _ in 0..<2 { _ = try await client.open(at: raw) }
                try raw.sendHeartbeat()
                #expect(try await raw.next().kind == .heartbeat)
                let opening = Task {
                    try await client.chain.hostOpen(
                        link: try CBORRaw(encoding: DeepLink.url("wall://item/1")), session: nil)
                }
                let answer = try CBOREncoder().encode(SceneAcceptance(answer: "accepted"))
                for _ in 0..<2 { try raw.reply(to: try await raw.next("sceneAcceptance"), with: answer) }
                let first = try await raw.next("sceneOpen")
                opening.cancel()
                await #expect(throws: (any Error).self) { _ = try await opening.value }
                #expect(try await raw.next(.cancel).id == first.id)
                // Anything that the host sent in between would arrive before this reply.
                try raw.sendHeartbeat()
                #expect(try await raw.next().kind == .heartbeat)
            }
        }

        @Test("A session whose worker dies while making its scene is placed on another worker")
        func deathWhilePlacing() async throws {
            try await withHost { live in
                let client = try await live.client()
                let raw = try await live.rawWorker(named: "mortal", capacity: 10)
                try await live.worker("wall")
                let opening = Task { try await client.open() }
                let request = try await raw.next(.request)
                #expect(request.name == "sceneConnect")
                try raw.send(Frame(.goodbye).encoded())
                let id = try await opening.value
                try await live.until("the other worker has the session") {
                    let session = try await client.chain.hostSessions()[0]
                    return session.session == id && session.worker == "wall" && session.problem == nil
                }
            }
        }

        @Test("A report with a stale fencing token is refused, and the state stays unchanged")
        func staleToken() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let client = try await live.client()
                let id = try await client.open()
                try await live.until("the first checkpoint has arrived") {
                    try await client.chain.hostSessionState(session: id) != nil
                }
                let state = try await client.chain.hostSessionState(session: id)
                let token = try await client.chain.hostSessions()[0].token
                let forged = try CBORRaw(encoding: UserActivity(activityType: "forged"))
                let raw = try live.raw()
                _ = try await raw.hello("other", role: .worker)
                for (number, wrong) in [0, token - 1, token + 1].enumerated() {
                    var frame = Frame(.post)
                    frame.name = "sceneCheckpoint"
                    frame.session = id
                    frame.token = wrong
                    frame.payload =
                        try CBOREncoder().encode(SceneReportMessagesList.sceneCheckpoint(session: id, state: forged))[
                            ...]
                    try raw.send(frame.encoded())
                    try await live.until("the report is refused") {
                        live.host.hub.counters.values["refused: stale fencing token"] == UInt64(number + 1)
                    }
                }
                #expect(try await client.chain.hostSessionState(session: id) == state)
            }
        }

        @Test("When an operator cancels an input, the scene's handler and its requests are cancelled, too")
        func cancelledInput() async throws {
            try await withHost { live in
                let greeter = Greeter("greeter")
                try await live.plugin("greeter") { $0.respond(greeter, to: GreetingMessagesList.self) }
                try await live.worker("wall")
                let client = try await live.client()
                let id = try await client.open()
                let act = Task { try await client.act(id, "wait") }
                try await live.until("the input waits") { greeter.waiting == 1 }
                act.cancel()
                await #expect(throws: CancellationError.self) { try await act.value }
                try await live.until("the input is cancelled") { greeter.cancelled == 1 }
                #expect(try await client.act(id, "show", "3").title == "item(3)")
            }
        }

        @Test("Fencing tokens keep increasing when the clock is set back")
        func clock() async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            let later = UInt64(4_000_000_000_000)
            try await HostStore(path: store).write([.beginLife(epoch: later)])
            try await withHost(in: folder, configure: { $0.store = store }) { live in
                #expect(live.host.hub.epoch == later + 1)
                try await live.worker("wall")
                let client = try await live.client()
                _ = try await client.open()
                #expect(try await client.chain.hostSessions()[0].token > later << 20)
                #expect(try await HostStore(path: store).lastLife().epoch == later + 1)
            }
        }

        @Test("Fencing tokens keep increasing over several lives of a host whose store is not writable")
        func clockAndFullDisk() async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            let later = UInt64(4_000_000_000_000)
            try await HostStore(path: store).write([.beginLife(epoch: later)])
            let full = try DatabaseQueue(path: store)
            try await full.write {
                try $0.execute(
                    sql: "CREATE TRIGGER full BEFORE UPDATE ON host BEGIN SELECT RAISE(FAIL, 'no room'); END")
            }
            try full.close()
            for life in UInt64(1)...3 {
                try await withHost(in: folder, configure: { $0.store = store }) { live in
                    #expect(live.host.hub.epoch == later + life)
                    let written = try await HostStore(path: store).lastLife().epoch
                    #expect(written == later)
                }
            }
        }

        @Test("Sessions and their states survive a restart of the host, in one file")
        func restart() async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            var ids: [String] = []
            try await withHost(in: folder, configure: { $0.store = store }) { live in
                try await live.worker("wall", capacity: 2)
                let client = try await live.client()
                ids = [try await client.open(), try await client.open()]
                _ = try await client.act(ids[1], "show", "7")
                // The worker shuts down before the host; its last checkpoint precedes its goodbye.
            }
            try await withHost(
                in: folder,
                configure: {
                    $0.store = store
                    $0.openAtFirstStart = ["Wall"]
                }
            ) { live in
                let client = try await live.client()
                #expect(try await client.chain.hostSessions().map(\.session) == ids)
                try await live.worker("wall", capacity: 2)
                try await live.until("both sessions have scenes") {
                    try await client.chain.hostSessions().allSatisfy { $0.worker != nil && $0.problem == nil }
                }
                #expect(try await client.chain.hostSceneContent(session: ids[0]).title == "home")
                #expect(try await client.chain.hostSceneContent(session: ids[1]).title == "item(7)")
                try await client.chain.hostCloseSession(session: ids[0])
            }
            let records = try await HostStore(path: store).sessions()
            #expect(records.map(\.id) == [ids[1]])
            let state = try records.first?.state?.decode(as: UserActivity.self)
            #expect(state?.activityType == SceneRestorationState<WallPage>.activityType)
        }

        @Test("A stale discard does not remove a scene that was placed again")
        func staleDiscard() async throws {
            try await withHost { live in
                try await live.worker("wall", capacity: 1)
                let client = try await live.client()
                let id = try await client.open()
                let link = try #require(live.link(named: "wall"))
                _ = try await live.host.hub.router.send(
                    SceneMessagesList.sceneDiscard(session: id, token: 1), to: link, session: id, token: 1,
                    timeout: .seconds(5))
                #expect(try await client.chain.hostSceneContent(session: id).title == "home")
            }
        }

        @Test("A host that shuts down before its workers still gets their latest states")
        func hostEndsFirst() async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            try await withHost(in: folder, configure: { $0.store = store }) { live in
                try await live.worker("wall", capacity: 1)
                let client = try await live.client()
                _ = try await client.act(try await client.open(), "show", "7")
                await live.endHost()
            }
            let state = try #require(try await HostStore(path: store).sessions().first?.state)
            let scene = try #require(try SceneRestorationState<WallPage>(try state.decode(as: UserActivity.self)))
            #expect(scene.screens.last?.page == .item(7))
        }

        @Test("The sessions that a host opens at its first start wait for a worker")
        func firstSessions() async throws {
            try await withHost(configure: { $0.openAtFirstStart = ["Wall", "Wall"] }) { live in
                let client = try await live.client()
                try await live.until("both sessions are open") { try await client.chain.hostSessions().count == 2 }
                try await live.worker("wall", capacity: 2)
                try await live.until("both sessions have scenes") {
                    try await client.chain.hostStatus().connectedScenes == 2
                }
            }
        }

        // MARK: - Links

        @Test("A link opens its page in the given session, or else in the first one that accepts it")
        func open() async throws {
            try await withHost { live in
                try await live.worker("wall", capacity: 2)
                let client = try await live.client()
                let first = try await client.open()
                let second = try await client.open(link: .url("wall://item/1"))
                #expect(try await client.chain.hostSceneContent(session: second).title == "item(1)")
                let named = try await client.chain.hostOpen(
                    link: try CBORRaw(encoding: DeepLink.url("wall://item/2")), session: second)
                #expect(named.session == second)
                #expect(try await client.chain.hostSceneContent(session: second).title == "item(2)")
                let any = try await client.chain.hostOpen(
                    link: try CBORRaw(encoding: DeepLink.url("wall://item/3")), session: nil)
                #expect(any.session == first)
                #expect(try await client.chain.hostSceneContent(session: first).title == "item(3)")
            }
        }

        @Test(
            "A link that no scene accepts is refused with the scene's reason",
            arguments: [nil, "session"] as [String?])
        func refused(session: String?) async throws {
            try await withHost { live in
                let client = try await live.client()
                if session == nil {
                    let nobody = try await #require(throws: RemoteError.self) {
                        try await client.chain.hostOpen(
                            link: try CBORRaw(encoding: DeepLink.url("wall://item/1")), session: nil)
                    }
                    #expect(nobody.message.contains("no scene is connected"))
                }
                try await live.worker("wall")
                let id = try await client.open()
                let error = try await #require(throws: RemoteError.self) {
                    try await client.chain.hostOpen(
                        link: try CBORRaw(encoding: DeepLink.url("wall://ceiling/1")),
                        session: session == nil ? nil : id)
                }
                #expect(error.code == "refused")
                #expect(error.message.contains("a wall has items only"))
                #expect(error.message.contains("wall://ceiling/1"))
                #expect(try await client.chain.hostSceneContent(session: id).title == "home")
            }
        }
    }
}
