import Bus
public import CoordinatorKit
import Hub
public import PeerLink
public import Logging
public import ServiceLifecycle
package import ZeroMQ

/// The app host, which holds the shared services, the open sessions and the top of the responder chain.
///
///     AppHost.main(id: "wall") { process in
///         AppHost(process.configuration, delegate: WallDelegate(), logger: process.logger)
///     }
@MainActor
public final class AppHost: ServiceLifecycle.Service {
    public let application: Application
    let configuration: HostConfiguration
    let logger: Logger
    let hub: Hub
    let container: ContainerBook
    let context: SocketContext
    private let lists: [any ResponderMessageList.Type]
    /// The state of the run; `nil` before ``run()`` is called.
    private(set) var life: HostLife?
    /// Whether requests for sessions can be carried out.
    enum Phase {
        case starting, running, ended
    }
    private(set) var phase = Phase.starting
    /// The requests for sessions that wait until the host is running.
    var waiting: [CheckedContinuation<Void, any Error>] = []
    private var hasRun = false
    /// The in-process host to which plugins that are linked into this process attach.
    public var inProcess: InProcessHost {
        let address = "inproc://\(configuration.name)"
        return InProcessHost(
            endpoint: HostEndpoint(bus: "\(address)/bus", publisher: "\(address)/pub"), context: context)
    }
    /// Called when the host listens, with the endpoints that it is bound to.
    public var onReady: (@MainActor (_ endpoints: [String]) -> Void)?

    /// - Parameters:
    ///   - configuration: the addresses to listen on, the plugins to run, and the limits.
    ///   - delegate: the application's delegate, which is the top of the chain.
    ///   - handles: the messages that the delegate handles for scenes in other processes.
    public convenience init(
        _ configuration: HostConfiguration, delegate: AppDelegate = AppDelegate(),
        handles: [any ResponderMessageList.Type] = [], logger: Logger
    ) {
        self.init(configuration, delegate: delegate, handles: handles, context: SocketContext(), logger: logger)
    }

    package init(
        _ configuration: HostConfiguration, delegate: AppDelegate, handles: [any ResponderMessageList.Type],
        context: SocketContext, logger: Logger
    ) {
        self.configuration = configuration
        self.context = context
        self.logger = logger
        lists = handles
        application = Application(delegate: delegate)
        application.runsScenesElsewhere = true
        hub = Hub(name: configuration.name, context: context, logger: logger)
        container = ContainerBook(hub: hub, application: application, logger: logger)
        application.sessionRunner = self
    }

    /// Checks that the delegate handles the messages that it is said to handle.
    private func checkHandles() throws {
        for list in lists {
            guard let message = list.messages.first(where: { !application.delegate.handles($0) }) else { continue }
            let handler = application.delegate.isPassing ? "a subclass of it" : "it"
            throw HostError(
                .usage,
                "'handles:' has \(list), but \(application.delegate.className) does not handle '\(message.name)': conform "
                    + "\(handler) to the protocol of these messages")
        }
    }

    /// Refuses to start with so few descriptors that the host could not start its plugins, or end in order.
    private func check(_ budget: DescriptorBudget) throws {
        guard !budget.isEnough else { return }
        let processes = budget.processes == 0 ? "" : " and starts \(budget.processes) processes"
        throw HostError(
            .refused,
            "this host may have \(budget.limit) open files\(processes), and needs at least \(budget.minimum): raise "
                + "'ulimit -n', or LimitNOFILE of its service")
    }

    /// The keys for TCP; `nil` for a host that does not listen on TCP, or does so without keys.
    private func hostKeys() throws -> HostKeys? {
        guard !configuration.listen.isEmpty else { return nil }
        guard !configuration.isInsecure else {
            logger.warning(
                "listening without keys: everybody who can reach the addresses may do everything",
                metadata: ["addresses": "\(configuration.listen.joined(separator: " "))"])
            return nil
        }
        do {
            let folder = try KeyFolder(configuration.keys)
            return try HostKeys(
                folder: folder, host: configuration.busName, hub: hub, context: context, logger: logger)
        } catch let error as PrivatePathError {
            throw HostError(error.code == .unsafe ? .refused : .failed, error.description)
        }
    }

    private func enter(_ phase: Phase) {
        self.phase = phase
        let requests = waiting
        waiting = []
        for request in requests { request.resume() }
    }

    // MARK: - Running

    /// Runs the host until the task is cancelled or a graceful shutdown begins, then shuts it down in order.
    /// - Throws: ``HostError`` when it cannot start, when it has run before, when it has ended because another host has
    ///   taken its runtime folder, and when its store was gone at the end and could not be written anew.
    public func run() async throws {
        guard !hasRun else { throw HostError(.usage, "a host runs once; make another one") }
        hasRun = true
        defer { enter(.ended) }
        try checkHandles()
        try configuration.checkOnceWindow()
        try check(DescriptorBudget(limit: context.descriptorLimit, processes: 0))
        let (ends, end) = AsyncStream<HostError?>.makeStream()
        let addresses = try configuration.addresses(inProcess: inProcess.endpoint)
        let lock = try HostLock(configuration.directory)
        defer { lock.release() }
        let storage = try await HostStorage(configuration)
        defer { storage.lock?.release() }
        hub.epoch = try storage.nextEpoch()
        try application.launch()
        let keys = try hostKeys()
        defer { keys?.end() }
        let life = try HostLife(
            storage: storage, hub: hub, container: container, application: application, handles: lists,
            configuration: configuration, keys: keys, context: context, logger: logger)
        self.life = life
        try check(life.budget)
        // The hub and the life keep each other until then.
        defer { hub.stop() }
        try await life.load()
        do {
            try hub.start(on: addresses, budget: life.budget, security: keys?.security)
        } catch let error as HubAddressError {
            throw HostError(error.isInUse ? .inUse : .usage, "\(error)")
        }
        let watch = RuntimeWatch(lock, hub: hub, problems: life.problems, logger: logger) { end.yield($0) }
        watch.start()
        defer { watch.stop() }
        keys?.begin()
        life.begin()
        enter(.running)
        onReady?(hub.addresses)
        await life.openFirstSessions()
        let reason = await withTaskCancellationOrGracefulShutdownHandler {
            var iterator = ends.makeAsyncIterator()
            return await iterator.next() ?? nil
        } onCancelOrGracefulShutdown: {
            end.yield(nil)
        }
        logger.info("shutting down")
        application.willTerminate()
        enter(.ended)
        let loss = await life.end()
        hub.stop()
        // Close the store before its lock is released to the next host. A failure loses nothing: the log is on disk.
        try? storage.store.close()
        if let failure = reason ?? loss { throw failure }
    }
}
