import Bus
import CBOR
public import CoordinatorKit
import Foundation
import Hub
public import PeerLink
public import Logging
public import ServiceLifecycle
package import ZeroMQ

/// The app host: holds the shared services, the open sessions and the top of the responder chain.
///
///     let host = try AppHost(HostConfiguration(), delegate: MyAppDelegate())
///     try await host.run()
@MainActor
public final class AppHost: ServiceLifecycle.Service {
    public let application: Application
    let configuration: HostConfiguration
    let logger: Logger
    let startedAt = ContinuousClock.now
    let hub: Hub
    private(set) var sessions: SessionBook!
    private(set) var plugins: PluginSupervisor?
    var dependencies = DependencyTable()
    var owners = EntryOwners()
    /// Who is absent has changed, and is about to be published.
    private lazy var absenceTimer = LoopTimer { [weak self] in self?.publishAbsence() }
    /// A peer that attaches anew is gone for a moment only, and many may go at a time.
    private static let absenceDelay = Duration.milliseconds(250)
    private var isEnding = false
    /// Why the next life could not be told from this one, were the clock put back and the store not written.
    private var epochProblem: String?

    let context: Context
    private lazy var control = HostControl(self)
    private lazy var chain = HostChain(
        first: control, handles: [HostMessagesList.self, SceneReportMessagesList.self] + lists,
        count: { [hub] in hub.count($0) })
    private(set) var once: OnceBook?
    private(set) var writer: StoreWriter?
    private let lists: [any ResponderMessageList.Type]
    private var isApplying = false
    private var published = AppDependency()
    /// Where plugins attach that are linked into this process.
    public var inProcess: InProcessHost {
        let address = "inproc://\(configuration.name)"
        return InProcessHost(
            endpoint: HostEndpoint(bus: "\(address)/bus", publisher: "\(address)/pub"), context: context)
    }
    /// Called once everything is open.
    public var onReady: (@MainActor (_ endpoints: [String]) -> Void)?

    /// - Parameters:
    ///   - configuration: where it listens and what it runs.
    ///   - delegate: the application's delegate: the top of the chain.
    ///   - handles: the messages that the delegate handles for scenes in other processes.
    public convenience init(
        _ configuration: HostConfiguration, delegate: AppDelegate = AppDelegate(),
        handles: [any ResponderMessageList.Type] = [], logger: Logger
    ) {
        self.init(configuration, delegate: delegate, handles: handles, context: Context(), logger: logger)
    }

    package init(
        _ configuration: HostConfiguration, delegate: AppDelegate, handles: [any ResponderMessageList.Type],
        context: Context, logger: Logger
    ) {
        self.configuration = configuration
        self.context = context
        self.logger = logger
        lists = handles
        application = Application(delegate: delegate)
        hub = Hub(name: configuration.name, context: context, logger: logger)
    }

    /// What is wrong and does not stop the host: manifests left out, a store that cannot be written.
    var problems: [String] {
        (plugins?.problems.map(\.description) ?? [])
            + (writer?.problems.map { "store: \($0)" } ?? [])
            + (epochProblem.map { ["store: \($0)"] } ?? [])
    }

    // MARK: - Running

    /// Runs until the task is cancelled or a graceful shutdown begins; then ends everything in order.
    /// - Throws: ``HostError`` when it cannot start.
    public func run() async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let addresses = try addresses()
        let lock = try HostLock(configuration.directory)
        defer { lock.release() }
        let storeLock = try configuration.store.map { try StoreLock($0) }
        defer { storeLock?.release() }
        let store: HostStore
        var last: (epoch: UInt64, endedCleanly: Bool)
        let epochFile = storeLock.map { EpochFile(store: $0.path) }
        do {
            store = try HostStore(path: storeLock?.path, maximumPages: configuration.maximumStorePages)
            last = try await store.lastLife()
            // A life that the store could not be told of.
            last.epoch = max(last.epoch, try epochFile?.epoch() ?? 0)
        } catch let error as StoreError {
            throw HostError(error)
        }
        // A clock that was put back must not put fencing tokens back.
        let time = max(0, Date().timeIntervalSince1970 * 1000)
        guard time < Double(HostStore.maximumEpoch) else {
            throw HostError(
                .failed,
                "the machine's clock says \(Date()), and no later host could count on from there; set the clock")
        }
        hub.epoch = max(UInt64(time), last.epoch + 1)
        guard hub.epoch < UInt64(HostStore.maximumEpoch) else {
            throw HostError(
                .failed, "the store's last epoch is \(last.epoch), and there is no later one; name another store")
        }
        let writer = StoreWriter(store)
        self.writer = writer
        let once = OnceBook(
            limits: OnceTable.Limits(
                window: configuration.onceWindow.components.seconds, count: configuration.maximumOnceRecords,
                bytes: configuration.maximumOnceBytes),
            writer: writer, hub: hub, upstream: chain, isKept: configuration.store != nil)
        self.once = once
        sessions = SessionBook(
            writer: writer, hub: hub, configuration: configuration, logger: logger)
        connect()
        try application.launch()
        if let folder = configuration.plugins {
            plugins = try PluginSupervisor(
                folder: folder, endpoint: configuration.directory.endpoint, overrides: configuration.overrides,
                logger: logger, onEnd: { [hub] in hub.processEnded($0, peer: $1, wasKilled: $2) })
        }
        do {
            try await once.load()
            try await sessions.load(isClean: last.endedCleanly)
            if let superseded = writer.superseded { throw HostError(.inUse, superseded.description) }
        } catch let error as StoreError {
            throw HostError(error)
        }
        for row in store.unreadable { logger.error("set aside", metadata: ["store": "\(row)"]) }
        hub.router.expectation = HandlerExpectation(
            opening: .now, isLaterLife: last.epoch > 0, startsPlugins: plugins?.instances.isEmpty == false)
        sessions.startsWorker = { [plugins] in plugins?.startsWorker(for: $0) ?? false }
        do {
            try epochFile?.record(hub.epoch)
        } catch {
            epochProblem = "\(error)"
            logger.warning("the host's epoch is not written down", metadata: ["error": "\(error)"])
        }
        do {
            try hub.start(on: addresses)
        } catch let error as HubAddressError {
            throw HostError(
                error.isInUse ? .inUse : .usage, "\(error); choose another address with --listen")
        }
        lock.restrictSockets()
        // Workers can come from now on: the time that they have to say what they hold begins.
        sessions.begin(
            isClean: last.endedCleanly, expecting: plugins?.workerNames ?? [], isLaterLife: last.epoch > 0)
        let plugins = plugins
        let running = Task { @MainActor in await plugins?.run() }
        onReady?(hub.addresses)
        await openFirstSessions()
        await withTaskCancellationOrGracefulShutdownHandler {
            var iterator = ends.makeAsyncIterator()
            await iterator.next()
        } onCancelOrGracefulShutdown: {
            end.yield()
        }
        logger.info("ending")
        isEnding = true
        sessions.stopPlacing()
        hub.router.expectation.ends(at: .now)
        running.cancel()
        await running.value
        hub.router.stop()
        // The state of the last moment comes with the goodbyes.
        let isClean = await hub.sayGoodbye(within: configuration.goodbyeTimeout)
        await sessions.end(isClean: isClean)
        once.stop()
        await writer.finish()
        hub.stop()
        // Before the next host has it. Nothing is lost where it cannot be closed: what is in its log is on the disk.
        try? store.close()
    }

    private func addresses() throws -> [HostEndpoint] {
        var addresses = [
            HostEndpoint(bus: configuration.directory.endpoint, publisher: configuration.directory.publisher),
            inProcess.endpoint,
        ]
        for text in configuration.listen {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard text.hasPrefix("tcp://"), let last = parts.last, let port = last == "*" ? 0 : Int(last),
                (0..<65_535).contains(port)
            else {
                throw HostError(.usage, "'\(text)' is not an address to listen on; write it as tcp://127.0.0.1:5570")
            }
            let host = String(text.dropFirst(6).dropLast(last.count + 1))
            let isLoopback = host == "localhost" || host == "[::1]" || host.hasPrefix("127.")
            guard isLoopback || configuration.isInsecure else {
                throw HostError(
                    .refused,
                    """
                    other machines reach \(text), and nothing tells who they are; listen on 127.0.0.1, or say \
                    --insecure if the network is yours alone
                    """)
            }
            let publisher = port == 0 ? "tcp://\(host):*" : "tcp://\(host):\(port + 1)"
            addresses.append(HostEndpoint(bus: text, publisher: publisher))
        }
        return addresses
    }

    private func openFirstSessions() async {
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

    // MARK: - The bus

    private func connect() {
        hub.authority = self
        hub.observer = self
        hub.routing = self
        hub.container = self
        hub.upstream = chain
        hub.ledger = once
        application.onDependencies = { [unowned self] in hostChanged($0) }
    }

    // MARK: - The container

    /// Publishes a change that is not the delegate's, and shows it to the delegate.
    func publish(_ change: DependencyChange) {
        hub.publish(change)
        var container = published
        for (key, value) in change.entries { container.setEncoded(value, of: key) }
        isApplying = true
        published = container
        application.delegate.appDependency = container
        isApplying = false
        // The delegate may have set more entries when it saw these.
        hostChanged(application.delegate.appDependency)
    }

    /// Tells which entries are those of peers that are not attached, if these are others than before: not at once, for a peer that
    /// attaches anew is gone for a moment only, and many may go at a time.
    func publishAbsenceSoon() {
        guard owners.isNews, absenceTimer.deadline == nil, !isEnding else { return }
        absenceTimer.set(for: .now + Self.absenceDelay)
    }

    private func publishAbsence() {
        guard !isEnding else { return }
        let keys = owners.tellAbsentKeys()
        // A list of texts always encodes.
        let value = keys.isEmpty ? nil : try? CBOREncoder().encode(keys)
        let isKnown = dependencies.entry(of: AppDependency.absentKey) != nil
        guard isKnown || value != nil,
            let change = dependencies.apply([AppDependency.absentKey: value], owner: "")
        else { return }
        publish(change)
    }

    /// The host's own delegate has set the container.
    /// - Parameter isAgain: it did so when it was given what it had left out; one that leaves it out each time is let be.
    private func hostChanged(_ container: AppDependency?, isAgain: Bool = false) {
        guard !isApplying, var container = container else { return }
        var changes: [String: [UInt8]?] = [:]
        let isNew = !container.isChange(of: published)
        var isCompleted = false
        for key in container.changedKeys(since: published) {
            // A container that was made anew lacks what peers have set, and does not mean to remove it.
            let isOthers = dependencies.entry(of: key).map { !$0.owner.isEmpty } ?? false
            if isNew && isOthers && container.entry(of: key) == nil || key == AppDependency.absentKey {
                container.setEntry(published.entry(of: key), of: key)
                isCompleted = true
                continue
            }
            do {
                let value = try container.entry(of: key)?.encoded()
                try DependencyPayload.check(value, key: key)
                changes.updateValue(value, forKey: key)
            } catch {
                hub.count("refused: entry that cannot be read")
                logger.error("an entry cannot be published", metadata: ["key": "\(key)", "error": "\(error)"])
            }
        }
        published = container
        if let change = dependencies.apply(changes, owner: "") {
            owners.set(change.entries, by: "")
            publishAbsenceSoon()
            hub.publish(change)
        }
        guard isCompleted, !isAgain else { return }
        isApplying = true
        application.delegate.appDependency = container
        isApplying = false
        // The delegate may have set more entries when it saw these.
        hostChanged(application.delegate.appDependency, isAgain: true)
    }
}
