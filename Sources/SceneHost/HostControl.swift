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
    private let name: String
    let hub: Hub
    let container: ContainerBook
    let sessions: SessionBook
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
        let page = try ListPages.page(of: hub.links.keys, after: after, limit: limit)
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

    func hostPlugins(after: String?, limit: Int?) async throws -> PluginList {
        // The manifests are read once, so an index into this list stays valid between pages.
        let instances = plugins?.instances ?? []
        let page = try ListPages.page(of: (0..<UInt64(instances.count)), after: after, limit: limit)
        return PluginList(
            plugins: page.map { instances[Int($0.id)].status },
            next: page.last.flatMap { $0.isLast ? nil : "\($0.id)" })
    }

    func sceneCheckpoint(session: String, state: CBORRaw) {
        do {
            // The frame's token is only valid for the frame's session, so the report must be about that session.
            guard let sender = MessageContext.current?.remote, sender.session == session else {
                throw SceneCommandError(.refused, "only the session's own scene reports its state")
            }
            try sessions.checkpoint(session, state: state, token: sender.token)
        } catch {
            logger.warning("a checkpoint was refused", metadata: ["session": "\(session)", "reason": "\(error)"])
        }
    }
}
