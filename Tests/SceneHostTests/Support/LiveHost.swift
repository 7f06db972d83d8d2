import Messaging
@testable import Hub
import TestKit
import Bus
import CBOR
import CoordinatorKit
import Glibc
import PeerLink
import Logging
import Testing
import ZeroMQ

@testable import PluginKit
@testable import SceneHost
@testable import SceneWorker

/// All tests that run a host in this process. They run one after the other because a process has one service directory.
@Suite(.serialized) enum LiveTests {}

/// Runs a host for the duration of a body, and checks that no socket and no file of it is left.
/// - Parameters:
///   - folder: The folder that hosts of one test share; the runtime folder is `run` in it.
///   - change: Changes the configuration.
@MainActor
@discardableResult
func withHost<Result>(
    in folder: TemporaryFolder? = nil, delegate: AppDelegate = AppDelegate(),
    handles: [any ResponderMessageList.Type] = [], logger: Logger = LiveHost.logger,
    configure change: (inout HostConfiguration) -> Void = { _ in },
    _ body: @MainActor (LiveHost) async throws -> Result
) async throws -> Result {
    let live = try LiveHost(
        folder: folder ?? TemporaryFolder(), delegate: delegate, handles: handles, logger: logger, change)
    let result: Swift.Result<Result, any Error>
    do {
        try await live.start()
        result = .success(try await body(live))
    } catch {
        result = .failure(error)
    }
    await live.stop()
    #expect(live.context.openSockets == 0)
    #expect(access(live.configuration.directory.folder, F_OK) != 0)
    return try result.get()
}

/// A host in this process, on real sockets, with the peers that a test adds.
@MainActor
final class LiveHost {
    let host: AppHost
    let folder: TemporaryFolder
    let configuration: HostConfiguration
    let context = SocketContext()
    private(set) var addresses: [String] = []
    private var main: Task<Void, any Error>?
    private var running: [Running] = []
    private var clients: [LiveClient] = []
    private var control: LiveClient?

    static let logger = {
        var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        return logger
    }()

    /// The task of a peer's `run()`, and how it ended.
    final class Running {
        let owner: AnyObject
        var end: Swift.Result<Void, any Error>?
        var task: Task<Void, Never>?

        init(_ owner: AnyObject) { self.owner = owner }
    }

    init(
        folder: TemporaryFolder, delegate: AppDelegate, handles: [any ResponderMessageList.Type], logger: Logger,
        _ change: (inout HostConfiguration) -> Void
    ) throws {
        self.folder = folder
        var configuration = try HostConfiguration(name: "test")
        configuration.directory = HostDirectory(folder: "\(folder.path)/run")
        change(&configuration)
        self.configuration = configuration
        host = AppHost(configuration, delegate: delegate, handles: handles, context: context, logger: logger)
    }

    // MARK: - Life

    func start() async throws {
        let (events, event) = AsyncStream<Swift.Result<[String], any Error>>.makeStream()
        host.onReady = { event.yield(.success($0)) }
        main = Task { [host] in
            do {
                try await host.run()
            } catch {
                event.yield(.failure(error))
                throw error
            }
        }
        var iterator = events.makeAsyncIterator()
        guard let first = await iterator.next(isolation: MainActor.shared) else { throw CancellationError() }
        addresses = try first.get()
        control = try await client()
    }

    /// Stops the peers, the last first, then the host.
    func stop() async {
        for running in running.reversed() { await finish(running) }
        for client in clients { client.close() }
        // The others are raw peers, which answer no goodbye. The host would wait for theirs.
        for link in host.hub.links.values { host.hub.detach(link, .goodbye) }
        main?.cancel()
        _ = await main?.result
    }

    /// Stops the host before its peers.
    func endHost() async { _ = await hostEnd() }

    /// Stops the host before its peers.
    /// - Returns: how it ended.
    func hostEnd() async -> Swift.Result<Void, any Error>? {
        main?.cancel()
        return await main?.result
    }

    private func finish(_ running: Running) async {
        running.task?.cancel()
        await running.task?.value
    }

    /// Shuts down a plugin or a worker, which says goodbye.
    func stop(_ peer: AnyObject) async {
        for running in running where running.owner === peer { await finish(running) }
        running.removeAll { $0.owner === peer }
    }

    /// Detaches the client with which a test waits: its heartbeats are frames, too. The test cannot use `until` afterwards.
    func detachControl() async throws {
        control?.close()
        control = nil
        try await TestKit.until("the client is gone") { host.hub.links.isEmpty }
    }

    // MARK: - Waiting

    /// Makes a round trip over the bus, so that all pending work can proceed.
    func turn() async throws {
        _ = try await control?.chain.hostStatus()
    }

    /// Lets the bus run until a condition is true.
    func until(
        _ what: String, within limit: Duration = .seconds(180), _ condition: @MainActor () async throws -> Bool
    ) async throws {
        try await TestKit.until(what, within: limit, turn: { try await turn() }, condition)
    }

    // MARK: - Peers

    /// Attaches a raw worker whose replies the test controls.
    func rawWorker(
        named name: String, capacity: Int, credits: Int? = nil, held: [HeldScene]? = nil
    ) async throws -> RawPeer {
        let raw = try raw()
        let hello = Hello(
            role: .worker, peer: name, pid: 1, endpoint: "", scenes: ["Wall"], capacity: capacity,
            credits: credits, held: held)
        var answer: Frame
        repeat {
            // A busy machine may make the host refuse the worker at first and accept it a moment later.
            try raw.send(Frame(.hello).encoded(payload: hello))
            answer = try await raw.next()
        } while answer.kind == .refusal
        let welcome = try answer.decodePayload(as: Welcome.self)
        var ask = Frame(.synchronize)
        ask.epoch = welcome.epoch
        try raw.send(ask.encoded())
        _ = try await raw.next(.snapshot)
        try await until("the worker is synchronized") { self.link(named: name)?.isSynchronized == true }
        return raw
    }

    /// Keeps a peer attached that sends only what the test sends. On a busy machine a test may be slow, and a raw peer
    /// sends no heartbeats.
    private func keepAttached(_ link: HubLink) {
        link.traffic.liveness = Liveness(interval: .seconds(3600), now: .now + .seconds(3600))
        link.traffic.sendWindow.stoodStill(at: .now + .seconds(3600))
    }

    /// The Unix-domain socket's address.
    var ipc: String { configuration.directory.endpoint }

    func link(named name: String) -> HubLink? { host.hub.links.values.first { $0.name == name } }

    /// Attaches an operator, which has no copy of the container.
    func client(to endpoint: String? = nil, named name: String = "operator") async throws -> LiveClient {
        let client = LiveClient(endpoint: endpoint ?? ipc, name: "\(name)-\(clients.count)", context: context)
        clients.append(client)
        try await client.attach()
        return client
    }

    @discardableResult
    func plugin(
        _ id: String, provides: [String] = [], configuration: [String: CBORValue] = [:], over endpoint: String? = nil,
        at host: HostReference? = nil, setUp: @MainActor (Plugin) throws -> Void = { _ in }
    ) async throws -> Plugin {
        var process = try PeerProcess(
            endpoint: endpoint ?? ipc, peer: BusName(id), configuration: configuration, logger: Self.logger)
        if let host { process.host = host }
        let plugin = Plugin(process, id: id, version: "1.0.0", provides: provides, context: context)
        try setUp(plugin)
        var isAttached = false
        let onAttach = plugin.onAttach
        plugin.onAttach = {
            isAttached = true
            onAttach?()
        }
        let running = begin(plugin) { try await plugin.run() }
        try await until("'\(id)' is attached") {
            try running.end?.get()
            return isAttached
        }
        return plugin
    }

    @discardableResult
    func worker(
        _ name: String, capacity: Int = 1, over endpoint: String? = nil, at host: HostReference? = nil,
        delegate: AppDelegate = AppDelegate()
    ) async throws -> SceneWorker {
        let worker = try makeWorker(name, capacity: capacity, over: endpoint, at: host, delegate: delegate)
        try await attach(worker, named: name) { try await worker.run() }
        return worker
    }

    func makeWorker(
        _ name: String, capacity: Int = 1, over endpoint: String? = nil, at host: HostReference? = nil,
        delegate: AppDelegate = AppDelegate(), context: SocketContext? = nil
    ) throws -> SceneWorker {
        var process = try PeerProcess(endpoint: endpoint ?? ipc, peer: BusName(name), logger: Self.logger)
        if let host { process.host = host }
        return try SceneWorker(
            process, version: "1.0.0", capacity: capacity,
            scenes: [
                SceneConfiguration(name: "Wall", delegateClass: WindowSceneDelegate<WallCoordinator>.self)
            ], delegate: delegate, context: context ?? self.context)
    }

    /// Runs a peer until the end of the test, and waits until the host has attached it.
    func attach(
        _ owner: AnyObject, named name: String, run: @escaping @MainActor @Sendable () async throws -> Void
    ) async throws {
        let running = begin(owner, run: run)
        try await until("'\(name)' is attached") {
            try running.end?.get()
            return link(named: name)?.isSynchronized == true
        }
    }

    /// Runs a peer until the end of the test.
    @discardableResult
    func begin(_ owner: AnyObject, run: @escaping @MainActor @Sendable () async throws -> Void) -> Running {
        let running = Running(owner)
        self.running.append(running)
        running.task = Task {
            do {
                try await run()
                running.end = .success(())
            } catch {
                running.end = .failure(error)
            }
        }
        return running
    }

    /// A peer below the package's own peers, which sends and receives raw frames.
    /// - Parameter staysAttached: whether the host waits for the peer as long as the test lasts. Otherwise it detaches the
    ///   peer when the peer sends nothing, or reports nothing, for some seconds.
    func raw(
        _ kind: Socket.Kind = .dealer, to endpoint: String? = nil, staysAttached: Bool = true,
        security: SocketSecurity? = nil
    ) throws -> RawPeer {
        let raw = try RawPeer(kind, endpoint: endpoint ?? ipc, context: context, security: security)
        guard staysAttached else { return raw }
        raw.onWelcome = { [unowned self] welcome in
            if let link = host.hub.links[welcome.link] { keepAttached(link) }
        }
        return raw
    }
}

/// A link as the command line makes it.
@MainActor
final class LiveClient {
    let link: Link
    let events: LinkEvents
    private let responder: LinkResponder

    init(endpoint: String, name: String, context: SocketContext) {
        var configuration = LinkConfiguration(endpoint: endpoint, role: .operator, peer: name, context: context)
        configuration.machine.synchronizes = false
        link = Link(configuration)
        events = LinkEvents(link)
        responder = LinkResponder(link)
    }

    var chain: ResponderChain { responder.chain }

    func attach() async throws {
        let (outcomes, event) = AsyncStream<Swift.Result<Void, any Error>>.makeStream()
        events.onReady = { _ in event.yield(.success(())) }
        events.onRefused = { event.yield(.failure($0)) }
        link.start()
        var iterator = outcomes.makeAsyncIterator()
        try await iterator.next(isolation: MainActor.shared)?.get()
    }

    /// Sends a request that the package's own senders would not make.
    @discardableResult
    func request(_ frame: Frame) async throws -> ArraySlice<UInt8> {
        try await link.request(frame.encoded(), message: frame.name)
    }

    func request<Reply: Decodable>(_ frame: Frame, as type: Reply.Type) async throws -> Reply {
        try CBORDecoder().decode(type, from: await request(frame))
    }

    func close() { link.stop() }
}
