import Hub
import Bus
import CBOR
import Messaging
import Glibc
import PeerLink
import Logging

/// Handles operators' requests to the host and the reports of scene workers.
///
/// It is the first responder of the host's own chain; the application is the next one.
@MainActor
final class HostControl: Responder, HostMessages, SceneReportMessages {
    private static let sceneTimeout = Duration.seconds(10)

    private let name: String
    private let hub: Hub
    private let container: ContainerBook
    private let sessions: SessionBook
    private let plugins: PluginSupervisor?
    private let problems: HostProblems
    private let application: Responder
    private let logger: Logger
    private let startedAt = ContinuousClock.now

    /// - Parameter next: the next responder, which is the application.
    init(
        name: String, hub: Hub, container: ContainerBook, sessions: SessionBook, plugins: PluginSupervisor?,
        problems: HostProblems, next application: Responder, logger: Logger
    ) {
        self.name = name
        self.hub = hub
        self.container = container
        self.sessions = sessions
        self.plugins = plugins
        self.problems = problems
        self.application = application
        self.logger = logger
    }

    override var next: Responder? { application }

    func hostStatus() async throws -> HostStatus {
        let now = ContinuousClock.now
        let uptime = startedAt.duration(to: now)
        hub.counters.set("dropped: bytes of processes' output that nobody read", to: StandardError.droppedBytes)
        return HostStatus(
            name: name, pid: getpid(), epoch: hub.epoch,
            uptimeSeconds: uptime / .seconds(1), endpoints: hub.addresses,
            revision: container.entries.revision, openSessions: sessions.table.sessions.count,
            connectedScenes: sessions.table.connectedCount,
            linkCount: hub.links.count, counters: hub.counters.values,
            unhandledPosts: UnhandledPosts.shared.counts, problems: problems.descriptions)
    }

    func hostLinks(after: String?, limit: Int?) async throws -> LinkList {
        let now = ContinuousClock.now
        let page = try SessionBook.page(of: hub.links.keys, after: after, limit: limit)
        let links = page.compactMap { hub.links[$0.id] }.map { link in
            LinkStatus(
                link: link.id, peer: link.name, role: link.hello.role, pid: link.hello.pid,
                sessions: sessions.count(of: link), silentSeconds: link.liveness.silence(at: now) / .seconds(1),
                pendingRequests: link.pending, drops: link.drops)
        }
        return LinkList(links: links, next: page.last.flatMap { $0.isLast ? nil : "\($0.id)" })
    }

    func hostSessions(worker: String?, after: String?, limit: Int?) async throws -> SessionList {
        try sessions.sessions(of: worker, after: after, limit: limit)
    }

    func hostSession(session: String) async throws -> SessionStatus {
        sessions.status(of: try sessions.session(session))
    }

    func hostOpenSession(configuration: String?, role: String, link: CBORRaw?) async throws -> SessionStatus {
        if let link {
            do {
                try CarriedItem.link.check(link)
            } catch {
                let detail = "its link cannot be sent to a worker: \(error)"
                throw MessageError(.malformed, message: HostMessagesList.hostOpenSession.name, detail: detail)
            }
        }
        return try await sessions.open(configuration: configuration, role: role, links: link.map { [$0] } ?? [])
    }

    func hostSessionState(session: String) async throws -> CBORRaw? {
        try sessions.session(session).record.state
    }

    func hostCloseSession(session: String) async throws {
        try await sessions.close(session)
    }

    func hostSceneContent(session: String) async throws -> ScreenContent {
        try await send(SceneMessagesList.sceneContent(session: session), to: session)
    }

    func hostSceneAct(session: String, action: String, fields: [String: String]) async throws -> ScreenContent {
        try await send(SceneMessagesList.sceneAct(session: session, action: action, fields: fields), to: session)
    }

    func hostOpen(link: CBORRaw, session id: String?) async throws -> SessionStatus {
        if let id {
            _ = try await send(SceneMessagesList.sceneOpen(session: id, link: link), to: id)
            return sessions.status(of: try sessions.session(id))
        }
        var reason = "no scene is connected"
        var after: SessionOrder.Key?
        repeat {
            let (keys, last) = sessions.table.order.keys(after: after, limit: SessionBook.pageLength)
            for key in keys {
                guard let session = sessions.table.sessions[key.id], case .running = session.phase else {
                    continue
                }
                do {
                    _ = try await send(SceneMessagesList.sceneOpen(session: session.id, link: link), to: session.id)
                    return sessions.status(of: session)
                } catch let error as MessageError where error.mayHaveBeenHandled {
                    // The scene may have opened the link already; no other scene may open it, too.
                    throw error
                } catch {
                    try Task.checkCancellation()
                    reason = "\(error)"
                }
            }
            after = last
            // Let other work run between two pages of sessions without scenes.
            await Task.yield()
            try Task.checkCancellation()
        } while after != nil
        throw SceneCommandError(.refused, reason)
    }

    private func send<M: ResponderRequest>(_ message: M, to id: String) async throws -> M.Reply {
        // The deadline is that of the original request; this handler has none of its own.
        let end = ContinuousClock.now + (MessageContext.current?.timeout ?? Self.sceneTimeout)
        let order = sessions.nextInputOrder()
        while true {
            try Task.checkCancellation()
            do {
                return try await send(message, to: id, order: order, until: end)
            } catch let error as MessageError where error.code == .peerLost && ContinuousClock.now < end {
                // Send the message again after the scene has resumed, unless it may have been handled and must not
                // be handled twice.
                if error.mayHaveBeenHandled, M.delivery == .atMostOnce { throw error }
            }
        }
    }

    private func send<M: ResponderRequest>(
        _ message: M, to id: String, order: UInt64, until end: ContinuousClock.Instant
    ) async throws -> M.Reply {
        let call = SceneCall()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                sessions.whenRunning(id, order: order, within: end - .now) { [hub] place in
                    guard !call.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                    // Send before the next waiting input runs, so that inputs arrive in order.
                    call.task = Task.immediate {
                        do {
                            let place = try place.get()
                            continuation.resume(
                                returning: try await hub.router.send(
                                    message, to: place.worker, session: id, token: place.token, timeout: end - .now))
                        } catch {
                            continuation.resume(throwing: error)
                        }
                    }
                }
            }
        } onCancel: {
            Task { @MainActor in call.cancel() }
        }
    }

    func hostMove(session: String, worker: String?) async throws -> SessionStatus {
        try await sessions.move(session, to: worker)
    }

    func hostDrain(worker: String, isDraining: Bool) async throws -> WorkerStatus {
        try sessions.drain(worker, isDraining: isDraining)
    }

    func hostRestart(worker: String) async throws {
        guard let plugins else { throw PluginSupervisor.notStarted(worker, among: []) }
        try plugins.restart(worker)
    }

    func hostLogs(instance: String, previous: Bool, after: UInt64?) async throws -> LogPage {
        guard let plugins else { throw PluginSupervisor.notStarted(instance, among: []) }
        return try plugins.logs(of: instance, isPrevious: previous, after: after)
    }

    func hostWorkers(after: String?, limit: Int?) async throws -> WorkerList {
        try sessions.workers(after: after, limit: limit)
    }

    func hostWorker(worker: String) async throws -> WorkerStatus {
        sessions.status(of: try sessions.worker(named: worker))
    }

    /// The maximum size of a page in bytes, and its maximum number of entries.
    private static let dependencyPage = (bytes: 256 << 10, count: 1000)

    func hostDependency(key: String) async throws -> DependencyStatus? {
        container.entries.entry(of: key).flatMap { status(of: key, $0, at: .now) }
    }

    func hostDependencies(after place: DependencyPlace?) async throws -> DependencyPage {
        let now = ContinuousClock.now
        let (found, hasMore) = container.entries.list(
            after: place?.revision ?? 0, place?.key ?? "", size: Self.dependencyPage.bytes,
            count: Self.dependencyPage.count)
        let last = found.last.map { DependencyPlace(revision: $0.entry.revision, key: $0.key) }
        return DependencyPage(
            entries: found.compactMap { status(of: $0.key, $0.entry, at: now) }, next: hasMore ? last : nil)
    }

    /// - Returns: `nil` for an entry that was removed.
    private func status(
        of key: String, _ entry: DependencyRecord, at now: ContinuousClock.Instant
    ) -> DependencyStatus? {
        guard let value = entry.value else { return nil }
        return DependencyStatus(
            key: key, value: value, revision: entry.revision, owner: entry.owner,
            ownerGoneSeconds: container.table.owners.absence(of: entry.owner, at: now).map { $0 / .seconds(1) })
    }

    func hostPlugins(after: String?, limit: Int?) async throws -> PluginList {
        // The manifests are read once, so an index into this list stays valid between pages.
        let instances = plugins?.instances ?? []
        let page = try SessionBook.page(of: (0..<UInt64(instances.count)), after: after, limit: limit)
        return PluginList(
            plugins: page.map { instances[Int($0.id)].status },
            next: page.last.flatMap { $0.isLast ? nil : "\($0.id)" })
    }

    func sceneCheckpoint(session: String, state: CBORRaw) {
        do {
            // The frame's token belongs to the frame's session, so that must be the reported one.
            guard let sender = MessageContext.current?.remote, sender.session == session else {
                throw SceneCommandError(.refused, "only the session's own scene reports its state")
            }
            try sessions.checkpoint(session, state: state, token: sender.token)
        } catch {
            logger.warning("a checkpoint was refused", metadata: ["session": "\(session)", "reason": "\(error)"])
        }
    }
}

/// A request to a scene that can be cancelled before and after it is sent.
@MainActor
private final class SceneCall {
    var task: Task<Void, Never>?
    private(set) var isCancelled = false

    func cancel() {
        isCancelled = true
        task?.cancel()
    }
}
