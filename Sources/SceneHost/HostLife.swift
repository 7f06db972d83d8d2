import Bus
import CoordinatorKit
import Hub
import Logging
import Messaging
import PeerLink
import ZeroMQ

/// One run of a host, from its start to its end: the sessions, the processes, the records of requests, and the chain that its hub
/// asks.
@MainActor
final class HostLife {
    let hub: Hub
    let container: ContainerBook
    let sessions: SessionBook
    /// The processes that this host starts; `nil` when it starts none.
    let plugins: PluginSupervisor?
    let once: OnceBook
    let writer: StoreWriter
    let configuration: HostConfiguration
    let context: SocketContext
    let logger: Logger
    private let storage: HostStorage
    private let chain: HostChain
    private let problems: HostProblems
    private var running: Task<Void, Never>?

    /// - Throws: ``HostError`` for plugins that cannot be run.
    init(
        storage: HostStorage, hub: Hub, container: ContainerBook, application: Application,
        handles lists: [any ResponderMessageList.Type], configuration: HostConfiguration, context: SocketContext,
        logger: Logger
    ) throws {
        self.storage = storage
        self.hub = hub
        self.container = container
        self.configuration = configuration
        self.context = context
        self.logger = logger
        writer = StoreWriter(storage.store)
        plugins = try configuration.plugins.map { folder in
            try PluginSupervisor(
                folder: folder, endpoint: configuration.directory.endpoint, overrides: configuration.overrides,
                logger: logger, onEnd: { [hub] in hub.processEnded($0, peer: $1, wasKilled: $2) })
        }
        sessions = SessionBook(
            writer: writer, hub: hub, plugins: plugins, configuration: configuration, logger: logger)
        problems = HostProblems(plugins: plugins, writer: writer)
        let control = HostControl(
            name: configuration.name, hub: hub, container: container, sessions: sessions, plugins: plugins,
            problems: problems, next: application, logger: logger)
        chain = HostChain(
            first: control, handles: [HostMessagesList.self, SceneReportMessagesList.self] + lists,
            count: { [hub] in hub.count($0) })
        once = OnceBook(
            limits: OnceTable.Limits(
                window: configuration.onceWindow.components.seconds, count: configuration.maximumOnceRecords,
                bytes: configuration.maximumOnceBytes),
            writer: writer, hub: hub, upstream: chain, isKept: configuration.store != nil)
        hub.authority = self
        hub.observer = self
        hub.routing = self
        hub.container = container
        hub.upstream = chain
        hub.ledger = once
    }

    /// Reads what earlier hosts have left, and writes down that this one runs.
    /// - Throws: ``HostError`` when the store cannot be read, or another host has taken it.
    func load() async throws {
        do {
            try await once.load()
            try await sessions.load(isClean: storage.endedCleanly)
            if let superseded = writer.superseded { throw HostError(.inUse, superseded.description) }
        } catch let error as StoreError {
            throw HostError(error)
        }
        for row in storage.store.unreadable { logger.error("set aside", metadata: ["store": "\(row)"]) }
        hub.router.expectation = HandlerExpectation(
            opening: .now, isLaterLife: storage.isLaterLife, startsPlugins: plugins?.instances.isEmpty == false)
        do {
            try storage.record(hub.epoch)
        } catch {
            problems.epoch = "\(error)"
            logger.warning("the host's epoch is not written down", metadata: ["error": "\(error)"])
        }
    }

    /// The sockets are open: workers can come, so the time that they have to say what they hold begins.
    func begin() {
        sessions.begin(
            isClean: storage.endedCleanly, expecting: plugins?.workerNames ?? [], isLaterLife: storage.isLaterLife)
        let plugins = plugins
        running = Task { @MainActor in await plugins?.run() }
    }

    /// Opens the sessions of a host that has none.
    func openFirstSessions() async {
        guard sessions.table.sessions.isEmpty else { return }
        for name in configuration.openAtFirstStart {
            do {
                _ = try await sessions.open(
                    configuration: name, role: SceneSession.Role.windowApplication.rawValue, links: [])
            } catch {
                logger.error(
                    "a session could not be opened", metadata: ["configuration": "\(name)", "error": "\(error)"])
            }
        }
    }

    /// Ends everything in order, and says goodbye to the peers.
    func end() async {
        container.end()
        sessions.stopPlacing()
        hub.router.expectation.ends(at: .now)
        running?.cancel()
        await running?.value
        hub.router.stop()
        // The state of the last moment comes with the goodbyes.
        let isClean = await hub.sayGoodbye(within: configuration.goodbyeTimeout)
        await sessions.end(isClean: isClean)
        once.stop()
        await writer.finish()
    }
}
