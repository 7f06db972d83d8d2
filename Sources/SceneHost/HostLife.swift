import Bus
import CoordinatorKit
import Hub
import Logging
import Messaging
import PeerLink
import ZeroMQ

/// One run of a host, from start to shutdown: its sessions, its processes, the records of requests, and the responder
/// chain behind its hub.
@MainActor
final class HostLife {
    let hub: Hub
    let container: ContainerBook
    let sessions: SessionBook
    /// The supervisor of the processes that this host starts; `nil` when it starts none.
    let plugins: PluginSupervisor?
    let once: OnceBook
    let control: HostControl
    let audit: AuditBook
    let writer: StoreWriter
    let configuration: HostConfiguration
    /// The keys for TCP; `nil` without.
    let keys: HostKeys?
    let context: SocketContext
    let logger: Logger
    private let storage: HostStorage
    let chain: HostChain
    let problems: HostProblems
    /// The faults for which peers were detached last.
    var faults = LoggedFaults()
    private var running: Task<Void, Never>?
    private let adopted: AdoptedChildren
    private lazy var storeTimer = LoopTimer { [weak self] in self?.lookAtStore() }

    /// - Throws: ``HostError`` for plugins that cannot be run.
    init(
        storage: HostStorage, hub: Hub, container: ContainerBook, application: Application,
        handles lists: [any ResponderMessageList.Type], configuration: HostConfiguration, keys: HostKeys? = nil,
        context: SocketContext, logger: Logger
    ) throws {
        self.storage = storage
        self.hub = hub
        self.container = container
        self.configuration = configuration
        self.keys = keys
        self.context = context
        self.logger = logger
        writer = StoreWriter(storage.store)
        plugins =
            configuration.plugins.isEmpty
            ? nil
            : try PluginSupervisor(
                folders: configuration.plugins, endpoint: configuration.directory.endpoint,
                overrides: configuration.overrides, logger: logger, isHostBehind: { [hub] in hub.isBehind(at: $0) },
                onEnd: { [hub] in hub.processEnded($0, peer: $1, wasKilled: $2) })
        sessions = SessionBook(
            writer: writer, hub: hub, plugins: plugins, application: application, configuration: configuration,
            logger: logger)
        adopted = AdoptedChildren { [plugins] in plugins?.children ?? [] }
        problems = HostProblems(
            plugins: plugins, writer: writer, connections: { [hub] in hub.connectionProblem(at: .now) },
            sessions: { [sessions] in sessions.table.heldProblem }, keys: { [keys] in keys?.problems ?? [] })
        audit = AuditBook(hub: hub, writer: writer)
        keys?.audit = audit
        control = HostControl(
            name: configuration.name, hub: hub, container: container, sessions: sessions, plugins: plugins,
            keys: keys, audit: audit, lists: lists, problems: problems, next: application, logger: logger)
        chain = HostChain(
            first: control, handles: [HostMessagesList.self, SceneReportMessagesList.self] + lists,
            delegate: application.delegate, absent: { [plugins] in plugins?.absentHandler(of: $0) },
            sharing: { [hub] in hub.sharing(with: $0) },
            revision: { [hub] in hub.head }, count: { [hub] in hub.count($0) })
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
        let listed: [any ResponderMessageList.Type] = lists + [SceneReportMessagesList.self]
        for list in listed { hub.addNames(list.messages.map { $0.name }) }
        hub.ledger = once
        watchStore()
    }

    /// The interval of the checks of the store's files.
    private static let storeInterval = Duration.milliseconds(500)

    private func watchStore() {
        writer.onProblem = { [logger] problem in
            if let problem {
                logger.error("the store cannot be used", metadata: ["store": "\(problem)"])
            } else {
                logger.notice("the store can be used again")
            }
        }
        guard configuration.store != nil else { return }
        writer.memory = { [weak sessions, weak once] in
            guard let sessions, let once else { return [] }
            return [.saveSessions(sessions.table.ordered.map(\.record)), .restoreRequests(once.records)]
        }
        writer.onRestored = { [weak self] damage in
            self?.logger.error("the store was written anew", metadata: ["store": "\(damage)"])
            self?.problems.writeEpochFile()
        }
    }

    private func lookAtStore() {
        Task { [writer] in await writer.look() }
        storeTimer.set(for: .now + Self.storeInterval)
    }

    /// Reads the records of earlier hosts, and records that this one runs.
    /// - Throws: ``HostError`` when the store cannot be read, or another host has taken it over.
    func load() async throws {
        do {
            try await once.load()
            try await sessions.load(isClean: storage.endedCleanly)
            if let superseded = writer.superseded { throw HostError(.inUse, superseded.description) }
        } catch let error as StoreError {
            throw HostError(error)
        }
        for row in storage.store.unreadable {
            logger.error("a row was set aside", metadata: ["store": "\(String(foreign: String(describing: row)))"])
        }
        if let loss = storage.loss { logger.error("the store has lost writes", metadata: ["store": "\(loss)"]) }
        problems.loss = storage.loss
        hub.router.expectation = HandlerExpectation(
            opening: .now, isLaterLife: storage.isLaterLife, startsPlugins: plugins?.instances.isEmpty == false)
        problems.recordEpoch = { [storage, epoch = hub.epoch] in try storage.record(epoch) }
        problems.writeEpochFile()
        if let error = problems.epoch {
            logger.warning("the host's epoch could not be written", metadata: ["error": "\(error)"])
        }
    }

    /// Starts the plugins, and the time that workers have to attach and report the scenes they hold.
    ///
    /// Call this when the sockets are open.
    func begin() {
        sessions.begin(
            isClean: storage.endedCleanly, expecting: plugins?.workerNames ?? [], isLaterLife: storage.isLaterLife)
        adopted.begin()
        if configuration.store != nil { lookAtStore() }
        let plugins = plugins
        running = Task { @MainActor in await plugins?.run() }
    }

    /// Opens the configured sessions if there are none.
    func openFirstSessions() async {
        guard sessions.table.sessions.isEmpty else { return }
        for name in configuration.openAtFirstStart {
            do {
                _ = try await sessions.open(
                    nil, configuration: name, role: SceneSession.Role.windowApplication.rawValue, links: [])
            } catch {
                logger.error(
                    "a session could not be opened",
                    metadata: ["configuration": "\(name)", "error": "\(String(foreign: error))"])
            }
        }
    }

    /// Shuts everything down in order, and sends goodbye to the peers.
    /// - Returns: what was lost, because the store was gone and could not be written anew.
    func end() async -> HostError? {
        container.end()
        control.watching.end()
        sessions.stopPlacing()
        hub.router.expectation.ends(at: .now)
        running?.cancel()
        await running?.value
        adopted.end()
        hub.router.stop()
        // Peers send their last checkpoints before their goodbyes, so end the sessions after that.
        let isClean = await hub.sayGoodbye(within: configuration.goodbyeTimeout)
        await sessions.end(isClean: isClean)
        once.stop()
        storeTimer.cancel()
        guard let loss = await writer.end() else { return nil }
        logger.error("the host ends without a store for the next one", metadata: ["store": "\(loss)"])
        return HostError(.failed, "the host has ended, and its sessions and recorded requests are lost: \(loss)")
    }
}
