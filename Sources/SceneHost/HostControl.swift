import Access
import Hub
import Bus
import CBOR
import Foundation
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
    let plugins: PluginSupervisor?
    /// The keys for TCP; `nil` without.
    let keys: HostKeys?
    let audit: AuditBook
    let watching: SceneWatchBook
    /// The messages that the application's delegate handles.
    let lists: [any ResponderMessageList.Type]
    private let problems: HostProblems
    private let application: Responder
    private let logger: Logger
    private var faults = LoggedFaults()
    private let startedAt = MonotonicInstant.now

    /// - Parameter next: the next responder, which is the application.
    init(
        name: String, hub: Hub, container: ContainerBook, sessions: SessionBook, plugins: PluginSupervisor?,
        keys: HostKeys?, audit: AuditBook, lists: [any ResponderMessageList.Type], problems: HostProblems,
        next application: Responder, logger: Logger
    ) {
        self.name = name
        self.hub = hub
        self.container = container
        self.sessions = sessions
        self.plugins = plugins
        self.keys = keys
        self.audit = audit
        self.lists = lists
        self.problems = problems
        watching = SceneWatchBook(hub: hub, sessions: sessions, logger: logger)
        self.application = application
        self.logger = logger
    }

    override var next: Responder? { application }

    func hostStatus() async throws -> HostStatus {
        let now = MonotonicInstant.now
        problems.lookAgain()
        let uptime = now - startedAt
        hub.setCount("dropped: bytes of plugins' output for the log", to: StandardError.droppedBytes)
        hub.setCount("dropped: lines of the host's log that could not be written", to: StandardError.lostLines)
        return HostStatus(
            name: name, pid: getpid(), epoch: hub.epoch,
            uptimeSeconds: uptime / .seconds(1), endpoints: hub.addresses,
            revision: container.entries.revision, openSessions: sessions.table.sessions.count,
            connectedScenes: sessions.table.connectedCount,
            linkCount: hub.links.count, counters: hub.counters.values,
            unhandledPosts: UnhandledPosts.shared.counts, problems: problems.descriptions,
            pluginProblems: problems.ofPlugins.isEmpty ? nil : problems.ofPlugins,
            time: Date().timeIntervalSince1970)
    }

    func hostSession(session: String) async throws -> SessionStatus {
        try shown(sessions.status(of: try sessions.session(session)))
    }

    func hostOpenSession(
        configuration: String?, role: String, link: CBORRaw?, session: String?
    ) async throws -> SessionStatus {
        if let link {
            do {
                try CarriedItem.link.check(link)
            } catch {
                let detail = "its link cannot be sent to a worker: \(error)"
                throw MessageError(.malformed, message: HostMessagesList.hostOpenSession.name, detail: detail)
            }
        }
        return try shown(
            await audit.keeping(session ?? configuration) {
                try await sessions.open(
                    session, configuration: configuration, role: role, links: link.map { [$0] } ?? [])
            })
    }

    func hostSessionState(session: String) async throws -> CBORRaw? {
        try sessions.session(session).record.state
    }

    func hostCloseSession(session: String) async throws {
        try await audit.keeping(session) { try await sessions.close(session) }
    }

    func hostRetrySession(session: String) async throws -> SessionStatus {
        try shown(await audit.keeping(session) { try await sessions.retry(session) })
    }

    func hostResetSession(session: String) async throws -> SessionStatus {
        try shown(await audit.keeping(session) { try await sessions.reset(session) })
    }

    func hostMove(session: String, worker: String?) async throws -> SessionStatus {
        try shown(
            await audit.keeping(worker.map { "\(session) \($0)" } ?? session) {
                try await sessions.move(session, to: worker)
            })
    }

    func hostDrain(worker: String, isDraining: Bool) async throws -> WorkerStatus {
        try await audit.keeping(isDraining ? worker : "\(worker) no longer") {
            try sessions.drain(worker, isDraining: isDraining)
        }
    }

    func hostRestart(worker: String) async throws {
        try await audit.keeping(worker) {
            guard let plugins else { throw PluginSupervisor.notStarted(worker, among: []) }
            try plugins.restart(worker)
        }
    }

    func hostLogs(instance: String, previous: Bool, after: UInt64?) async throws -> LogPage {
        guard let plugins else { throw PluginSupervisor.notStarted(instance, among: []) }
        return try plugins.logs(of: instance, isPrevious: previous, after: after)
    }

    func hostWorker(worker: String) async throws -> WorkerStatus {
        sessions.status(of: try sessions.worker(named: worker))
    }

    func sceneCheckpoint(session: String, state: CBORRaw) {
        do {
            // The frame's token is only valid for the frame's session, so the report must be about that session.
            guard let sender = MessageContext.current?.remote, sender.session == session else {
                throw SceneCommandError(.refused, "only the session's own scene reports its state")
            }
            try sessions.checkpoint(session, state: state, token: sender.token)
        } catch {
            hub.count("refused: checkpoint")
            // A report comes from a scene: a post does not say over which link.
            let sender = MessageContext.current?.remote?.session ?? ""
            faults.log(
                .warning, "a checkpoint was refused", of: sender,
                ["session": "\(String(foreign: session))", "reason": "\(String(foreign: error))"], to: logger, at: .now)
        }
    }
}
