import Bus
import CBOR
public import CoordinatorKit
import Foundation
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
    private(set) var server: BusServer
    private(set) var router: RequestRouter!
    private(set) var sessions: SessionBook!
    private(set) var plugins: PluginSupervisor?
    private(set) var dependencies = DependencyTable()
    private(set) var owners = EntryOwners()
    /// Who is absent has changed, and is about to be published.
    private lazy var absenceTimer = LoopTimer { [weak self] in self?.publishAbsence() }
    /// A peer that attaches anew is gone for a moment only, and many may go at a time.
    private static let absenceDelay = Duration.milliseconds(250)
    private var isEnding = false
    /// Why the next life could not be told from this one, were the clock put back and the store not written.
    private var epochProblem: String?

    private let receiver = MessageReceiver()
    private let context: Context
    private var control: HostControl!
    private(set) var writer: StoreWriter?
    private var lists: [any ResponderMessageList.Type] = []
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
        server = BusServer(name: configuration.name, context: context, logger: logger)
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
        server.epoch = max(UInt64(time), last.epoch + 1)
        guard server.epoch < UInt64(HostStore.maximumEpoch) else {
            throw HostError(
                .failed, "the store's last epoch is \(last.epoch), and there is no later one; name another store")
        }
        control = HostControl(self)
        receiver.registry.add(HostMessagesList.self)
        receiver.registry.add(SceneReportMessagesList.self)
        for list in lists { receiver.registry.add(list) }
        router = RequestRouter(
            server: server, receiver: receiver, first: control, revision: { [unowned self] in dependencies.revision })
        let writer = StoreWriter(store)
        self.writer = writer
        router.once = OnceBook(
            limits: OnceTable.Limits(
                window: configuration.onceWindow.components.seconds, count: configuration.maximumOnceRecords,
                bytes: configuration.maximumOnceBytes),
            writer: writer, router: router, isKept: configuration.store != nil)
        sessions = SessionBook(
            writer: writer, router: router, server: server, configuration: configuration, logger: logger)
        connectHandlers()
        try application.launch()
        if let folder = configuration.plugins {
            plugins = try PluginSupervisor(
                folder: folder, endpoint: configuration.directory.endpoint, overrides: configuration.overrides,
                logger: logger, onEnd: { [server] in server.processEnded($0, peer: $1, wasKilled: $2) })
        }
        do {
            try await router.once?.load()
            try await sessions.load(isClean: last.endedCleanly)
            if let superseded = writer.superseded { throw HostError(.inUse, superseded.description) }
        } catch let error as StoreError {
            throw HostError(error)
        }
        for row in store.unreadable { logger.error("set aside", metadata: ["store": "\(row)"]) }
        router.expectation = HandlerExpectation(
            opening: .now, isLaterLife: last.epoch > 0, startsPlugins: plugins?.instances.isEmpty == false)
        sessions.startsWorker = { [plugins] in plugins?.startsWorker(for: $0) ?? false }
        router.expectsPlugin = { [plugins] in plugins?.expects($0) ?? false }
        do {
            try epochFile?.record(server.epoch)
        } catch {
            epochProblem = "\(error)"
            logger.warning("the host's epoch is not written down", metadata: ["error": "\(error)"])
        }
        try server.start(on: addresses)
        lock.restrictSockets()
        // Workers can come from now on: the time that they have to say what they hold begins.
        sessions.begin(
            isClean: last.endedCleanly, expecting: plugins?.workerNames ?? [], isLaterLife: last.epoch > 0)
        let plugins = plugins
        let running = Task { @MainActor in await plugins?.run() }
        onReady?(server.addresses)
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
        router.expectation.ends(at: .now)
        running.cancel()
        await running.value
        router.stop()
        // The state of the last moment comes with the goodbyes.
        let isClean = await server.sayGoodbye(within: configuration.goodbyeTimeout)
        await sessions.end(isClean: isClean)
        router.once?.stop()
        await writer.finish()
        server.stop()
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

    private func connectHandlers() {
        server.handlers.admit = { [unowned self] hello in
            let refusal = refusal(of: hello)
            if let refusal { plugins?.refused(hello, refusal) }
            return refusal
        }
        server.handlers.attached = { [unowned self] link in
            logger.info("attached", metadata: ["peer": "\(link.name)", "role": "\(link.hello.role)"])
            router.attached(link)
            plugins?.attached(link)
            router.goOnWaiting(for: link)
            owners.attached(link.name)
            publishAbsenceSoon()
            sessions.attached(link)
        }
        server.handlers.synchronized = { [unowned self] link in
            if link.hello.role == .worker { sessions.synchronized(link) }
        }
        server.handlers.hasRead = { [unowned self] in router.goOnWaiting(for: $0) }
        server.handlers.quiet = { [unowned self] in sessions.quiet($0) }
        server.handlers.refusedBusy = { [unowned self] hello, refusal in
            sessions.refusedAsBusy()
            if let hello { plugins?.refused(hello, refusal) }
        }
        server.handlers.fellBehind = { [unowned self] in plugins?.hostIsBusy() }
        server.handlers.detached = { [unowned self] link, reason in
            logger.info("detached", metadata: ["peer": "\(link.name)", "reason": "\(reason)"])
            router.detached(link, reason: reason.description)
            router.once?.detached(link)
            plugins?.detached(link, reason)
            owners.detached(link.name, at: .now)
            publishAbsenceSoon()
            sessions.detached(link, reason)
        }
        server.handlers.frame = { [unowned self] in received($0, from: $1) }
        server.handlers.snapshot = { [unowned self] in dependencies.snapshot(after: $0) }
        application.onDependencies = { [unowned self] in hostChanged($0) }
    }

    /// Why a peer may not attach; `nil` when it may.
    private func refusal(of hello: Hello) -> Refusal? {
        if let name = hello.handles.first(where: Self.ownMessages.contains) {
            return Refusal(
                .malformed, "'\(hello.peer)' handles '\(name)', which is a message of the protocol's own: rename it"
            )
        }
        if hello.provides.contains(AppDependency.absentKey) {
            return Refusal(
                .malformed,
                "'\(hello.peer)' provides '\(AppDependency.absentKey)', which is an entry of the host's own: rename it")
        }
        if let link = server.link(named: hello.peer) {
            return Refusal(.taken, "another process (\(link.hello.pid)) is attached as '\(hello.peer)'")
        }
        if server.links.count >= maximumLinks {
            return Refusal(
                .full,
                """
                \(server.links.count) peers are attached, as many as this host takes; end some, or allow more with \
                --maximum-links and the system's limit of open files (\(context.descriptorLimit) now)
                """)
        }
        return plugins?.refusal(of: hello)
    }

    /// No peer handles these for others.
    static let ownMessages: Set<String> = {
        let lists: [any ResponderMessageList.Type] = [
            HostMessagesList.self, SceneMessagesList.self, SceneReportMessagesList.self,
        ]
        return Set(lists.flatMap { $0.messages.map { $0.name } })
    }()

    /// The largest payload of a request to the host itself, in bytes.
    private static let maximumOwnRequest = 1 << 20

    /// Requests whose payload is for the host alone: names and places, never long. It is not decoded to learn that it is wrong. What
    /// carries a link or fields on to a scene may be as long as a frame.
    private static let ownRequests: Set<String> = {
        let carrying: Set = [
            HostMessagesList.hostOpen.name, HostMessagesList.hostOpenSession.name, HostMessagesList.hostSceneAct.name,
        ]
        return Set(HostMessagesList.messages.map { $0.name }).subtracting(carrying)
    }()

    /// Each peer takes two connections; the rest is for the host's own files, its plugins' pipes, and peers that are refused.
    private var maximumLinks: Int {
        // A pidfd and two pipes for each process.
        let pipes = 3 * (plugins?.instances.count ?? 0)
        return configuration.maximumLinks ?? max(16, (context.descriptorLimit - 256 - pipes) / 2)
    }

    private func received(_ frame: Frame, from link: HostLink) {
        if frame.kind == .request, router.isOnItsWay(frame.id, of: link) {
            return server.count("dropped: request with an id that is in use")
        }
        // What a handler passes on keeps the session of who sent it, and speaks for none.
        let isPassedOn = frame.flags.contains(.passedOn) && frame.token == 0
        if link.hello.role == .worker, !frame.session.isEmpty, frame.kind == .request || frame.kind == .post,
            !isPassedOn,
            !sessions.table.mayAct(frame.session, token: frame.token, worker: link.id)
        {
            server.count("refused: stale fencing token")
            if frame.kind == .request { router.refuseStale(frame, of: link) }
            return
        }
        if link.hello.role != .worker, frame.kind == .post, Self.ownMessages.contains(frame.name) {
            return server.count("refused: report of no worker")
        }
        // The host alone sends these, and they climb nowhere.
        if frame.kind == .request || frame.kind == .post, frame.isAddressed,
            Self.ownMessages.contains(String(frame.messageName))
        {
            server.count("refused: a message of the protocol's own")
            guard frame.kind == .request else { return }
            let detail = "it is a message of the protocol's own, and not a service's"
            return router.refuse(frame, of: link, MessageError(.unhandled, message: frame.name, detail: detail))
        }
        if frame.kind == .request, frame.payload.count > Self.maximumOwnRequest, Self.ownRequests.contains(frame.name) {
            server.count("refused: request beyond measure")
            let detail =
                "its payload has \(frame.payload.count) bytes; this request has at most \(Self.maximumOwnRequest)"
            return router.refuse(frame, of: link, MessageError(.malformed, message: frame.name, detail: detail))
        }
        switch frame.kind {
        case .request: router.request(frame, from: link)
        case .post: router.post(frame, from: link)
        case .reply, .failure: router.ended(frame, from: link)
        case .cancel: router.cancel(frame, from: link)
        case .publish: publish(frame, from: link)
        default: break
        }
    }

    // MARK: - The container

    /// A peer sets entries that it provides.
    private func publish(_ frame: Frame, from link: HostLink) {
        guard let all = try? DependencyPayload.decode(frame.payload) else {
            return server.count("dropped: unreadable publish")
        }
        let allowed = all.filter { link.provides.contains($0.key) }
        if allowed.count < all.count {
            server.count("refused: entry not provided")
            logger.warning(
                "a peer set entries that it did not say it provides",
                metadata: [
                    "peer": "\(link.name)",
                    "keys": "\(all.keys.filter { allowed[$0] == nil }.prefix(8).map { $0.prefix(64) })",
                ])
        }
        let carried = allowed.filter { key, value in
            do throws(FrameError) {
                try DependencyPayload.check(value, key: key)
                return true
            } catch {
                server.count("refused: entry that cannot be read")
                logger.error(
                    "an entry of a peer cannot be published",
                    metadata: ["peer": "\(link.name)", "key": "\(key.prefix(64))", "error": "\(error)"])
                return false
            }
        }
        let change = dependencies.apply(carried, owner: link.name)
        // Who has set it last, also to what it was, answers for it.
        dependencies.own(carried.keys, by: link.name)
        owners.set(carried, by: link.name)
        publishAbsenceSoon()
        if let change { publish(change) }
    }

    /// Publishes a change that is not the delegate's, and shows it to the delegate.
    private func publish(_ change: DependencyChange) {
        server.publish(change)
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
    private func publishAbsenceSoon() {
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
                server.count("refused: entry that cannot be read")
                logger.error("an entry cannot be published", metadata: ["key": "\(key)", "error": "\(error)"])
            }
        }
        published = container
        if let change = dependencies.apply(changes, owner: "") {
            owners.set(change.entries, by: "")
            publishAbsenceSoon()
            server.publish(change)
        }
        guard isCompleted, !isAgain else { return }
        isApplying = true
        application.delegate.appDependency = container
        isApplying = false
        // The delegate may have set more entries when it saw these.
        hostChanged(application.delegate.appDependency, isAgain: true)
    }
}
