import Messaging
import Bus
import CBOR
import CoordinatorKit
import Logging
import PeerLink
import PluginKit
import TestKit
import Testing
import ZeroMQ

@testable import SceneWorker

/// A scene worker, and a fake host that sends it a test's commands.
@MainActor
final class RunningWorker {
    let host: FakeHost
    let worker: SceneWorker
    let context: SocketContext
    private let task: Task<Void, any Error>
    private var lastID: UInt64 = 0

    init(_ delegateClass: SceneDelegate.Type) throws {
        var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        let host = try FakeHost()
        let context = SocketContext()
        let process = try PeerProcess(
            endpoint: host.endpoint, peer: BusName("wall"), configuration: [:], logger: logger)
        let worker = try SceneWorker(
            process, version: "1.0.0", capacity: 4,
            scenes: [SceneConfiguration(name: "Board", delegateClass: delegateClass)],
            delegate: AppDelegate(), context: context, services: ServiceDirectory())
        self.host = host
        self.worker = worker
        self.context = context
        task = Task { try await worker.run() }
    }

    /// Ends the worker.
    func stop() async {
        task.cancel()
        _ = await task.result
    }

    /// What handles the host's commands in the worker.
    var scenes: SceneResponder {
        get throws { try #require(worker.peer.first as? SceneResponder) }
    }

    /// The states that the worker has sent to the host.
    var checkpoints: [UserActivity] {
        get throws {
            try host.posts.map { post in
                let checkpoint = try post.decodePayload(as: SceneReportMessagesList.sceneCheckpoint.self)
                return try checkpoint.state.decode(as: UserActivity.self)
            }
        }
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
        if frame.kind == .failure { throw try frame.decodePayload(as: FailureEncoding.self).error }
        return try frame.decodePayload(as: type)
    }

    func connect(token: UInt64 = 1, state: CBORRaw? = nil) async throws {
        _ = try await reply(
            to: SceneMessagesList.sceneConnect(
                session: "s", role: SceneSession.Role.windowApplication.rawValue, configuration: "Board",
                token: token, state: state, links: []), token: token)
    }

    func act(_ action: String, _ fields: [String: String] = [:], token: UInt64 = 1) async throws -> [String] {
        let message = SceneMessagesList.sceneAct(
            session: "s", layer: nil, action: action, fields: ActionFields(fields), content: nil)
        return try await reply(to: message, token: token).texts
    }

    /// Changes what the scene keeps, without an input.
    func keep(_ note: String) throws {
        let scene = try #require(worker.application.connectedScenes.first)
        let navigation = try #require(scene.window?.rootViewController as? NavigationController)
        try #require(navigation.topViewController).restorationState = ["note": note]
    }

    func freeze(token: UInt64 = 1) async throws -> CBORRaw? {
        try await reply(to: SceneMessagesList.sceneFreeze(session: "s"), token: token)
    }

    /// The code of the error that a command ends with.
    func code(_ body: () async throws -> Void) async -> SceneCommandError.Code? {
        do {
            try await body()
            Issue.record("the command succeeded")
        } catch let error as RemoteError {
            return error.sceneCommandCode
        } catch {
            Issue.record(error)
        }
        return nil
    }
}

/// Runs a worker until the body has ended.
/// - Parameter delegateClass: the class of the delegates of the worker's scenes.
@MainActor
func withWorker(
    scenes delegateClass: SceneDelegate.Type = WindowSceneDelegate<BoardCoordinator>.self,
    _ body: @MainActor (RunningWorker) async throws -> Void
) async throws {
    let running = try RunningWorker(delegateClass)
    let result: Result<Void, any Error>
    do {
        try await running.host.until("it is attached") { running.worker.peer.link.isReady }
        try await body(running)
        result = .success(())
    } catch {
        result = .failure(error)
    }
    BoardScreen.waiting?.resume()
    BoardScreen.waiting = nil
    await running.stop()
    running.host.close()
    #expect(running.context.openSockets == 0)
    try result.get()
}
