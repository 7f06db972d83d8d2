import Bus
import CBOR
import CoordinatorKit
import Logging
import Messaging
import PeerLink
import PluginKit
import TestKit
import Testing
import ZeroMQ

@testable import SceneWorker

private enum BoardPage: Page { case home }

/// A screen that counts, waits, and keeps a note.
@MainActor
private final class BoardScreen: ViewController {
    static var waiting: CheckedContinuation<Void, Never>?
    private var count = 0

    override var content: ScreenContent {
        ScreenContent(
            title: "board", texts: ["\(count)", restorationState["note"] ?? ""],
            actions: ["count", "wait", "keep", "fail"].map { .init(name: $0) })
    }

    override func perform(action: String, fields: [String: String]) async throws {
        switch action {
        case "count": count += 1
        case "wait":
            await withCheckedContinuation { Self.waiting = $0 }
            count += 100
        case "keep":
            restorationState["note"] = fields["text"]
            setNeedsContentUpdate()
        default: try await super.perform(action: action, fields: fields)
        }
    }
}

@MainActor
private final class BoardCoordinator: SceneCoordinator<BoardPage> {
    override var initialPage: BoardPage? { .home }

    override func display(page: BoardPage) {
        let screen = BoardScreen()
        screen.page = page
        root(screen)
    }
}

/// A scene worker on a host that commands it as a test lets it.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SceneResponderTests {
    private static let logger = {
        var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        return logger
    }()

    /// A worker, and the host that it is attached to.
    @MainActor
    private final class Running {
        let host: FakeHost
        let worker: SceneWorker
        private var lastID: UInt64 = 0

        init(_ host: FakeHost, _ worker: SceneWorker) {
            self.host = host
            self.worker = worker
        }

        /// Sends a command, and returns its id.
        func send<M: ResponderRequest>(_ message: M, session: String = "s", token: UInt64 = 1) throws -> UInt64 {
            lastID += 1
            var frame = Frame(.request)
            frame.id = lastID
            frame.name = M.name
            frame.session = session
            frame.token = token
            frame.payload = try CBOREncoder().encode(message)[...]
            host.say(frame.encoded())
            return lastID
        }

        /// The reply to a command, or the error that the worker threw.
        func reply<M: ResponderRequest>(to message: M, token: UInt64 = 1) async throws -> M.Reply {
            let id = try send(message, token: token)
            return try await self.end(of: id, as: M.Reply.self)
        }

        func end<Reply: Decodable>(of id: UInt64, as type: Reply.Type) async throws -> Reply {
            try await host.until("the worker has replied") { host.replies.contains { $0.id == id } }
            let frame = try #require(host.replies.first { $0.id == id })
            if frame.kind == .failure { throw try frame.decodePayload(as: Failure.self).error }
            return try frame.decodePayload(as: type)
        }

        func connect(token: UInt64 = 1, state: CBORRaw? = nil) async throws {
            _ = try await reply(
                to: SceneMessagesList.sceneConnect(
                    session: "s", role: SceneSession.Role.windowApplication.rawValue, configuration: "Board",
                    token: token, state: state, links: []), token: token)
        }

        func act(_ action: String, _ fields: [String: String] = [:], token: UInt64 = 1) async throws -> [String] {
            let message = SceneMessagesList.sceneAct(session: "s", action: action, fields: fields)
            return try await reply(to: message, token: token).texts
        }

        func freeze(token: UInt64 = 1) async throws -> CBORRaw? {
            try await reply(to: SceneMessagesList.sceneFreeze(session: "s"), token: token)
        }

        /// The code of the error that a command ends with.
        func code(_ body: () async throws -> Void) async -> SceneCommandError.Code? {
            do {
                try await body()
                Issue.record("it was taken")
            } catch let error as RemoteError {
                return error.sceneCommandCode
            } catch {
                Issue.record(error)
            }
            return nil
        }
    }

    private func withWorker(_ body: @MainActor (Running) async throws -> Void) async throws {
        let host = try FakeHost()
        let context = SocketContext()
        let process = PeerProcess(endpoint: host.endpoint, peer: "wall", configuration: [:], logger: Self.logger)
        let worker = try SceneWorker(
            process, version: "1.0.0", capacity: 4,
            scenes: [SceneConfiguration(name: "Board", delegateClass: WindowSceneDelegate<BoardCoordinator>.self)],
            delegate: AppDelegate(), context: context, services: ServiceDirectory())
        let task = Task { try await worker.run() }
        let result: Result<Void, any Error>
        do {
            try await host.until("it is attached") { worker.peer.link.isReady }
            try await body(Running(host, worker))
            result = .success(())
        } catch {
            result = .failure(error)
        }
        BoardScreen.waiting?.resume()
        BoardScreen.waiting = nil
        task.cancel()
        _ = await task.result
        host.close()
        #expect(context.openSockets == 0)
        try result.get()
    }

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
            let act = try running.send(SceneMessagesList.sceneAct(session: "s", action: "wait", fields: [:]))
            try await running.host.until("the input is handled") { BoardScreen.waiting != nil }
            let freeze = try running.send(SceneMessagesList.sceneFreeze(session: "s"))
            for _ in 0..<3 { try await running.host.turn() }
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
            _ = try running.send(SceneMessagesList.sceneAct(session: "s", action: "wait", fields: [:]))
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

    @Test("A change of what the scene keeps is sent to the host as a checkpoint, once")
    func checkpoint() async throws {
        try await withWorker { running in
            try await running.connect(token: 7)
            try await running.host.until("the first state has come") { running.host.posts.count == 1 }
            _ = try await running.act("keep", ["text": "note"], token: 7)
            try await running.host.until("the change has come") { running.host.posts.count == 2 }
            let post = running.host.posts[1]
            #expect(post.name == "sceneCheckpoint")
            #expect(post.session == "s")
            #expect(post.token == 7)
            _ = try await running.act("keep", ["text": "note"], token: 7)
            _ = try await running.act("keep", ["text": "other"], token: 7)
            try await running.host.until("the next change has come") { running.host.posts.count == 3 }
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

    @Test("A worker that ends sends the last state of its scenes before it leaves")
    func end() async throws {
        let host = try FakeHost()
        let context = SocketContext()
        let process = PeerProcess(endpoint: host.endpoint, peer: "wall", configuration: [:], logger: Self.logger)
        let worker = try SceneWorker(
            process, version: "1.0.0", capacity: 4,
            scenes: [SceneConfiguration(name: "Board", delegateClass: WindowSceneDelegate<BoardCoordinator>.self)],
            delegate: AppDelegate(), context: context, services: ServiceDirectory())
        let task = Task { try await worker.run() }
        try await host.until("it is attached") { worker.peer.link.isReady }
        let running = Running(host, worker)
        try await running.connect()
        try await host.until("the first state has come") { host.posts.count == 1 }
        _ = try await running.act("keep", ["text": "last"])
        task.cancel()
        _ = await task.result
        try await host.until("the last state has come") { host.posts.count == 2 }
        #expect(worker.application.connectedScenes.isEmpty)
        host.close()
        #expect(context.openSockets == 0)
    }
}
