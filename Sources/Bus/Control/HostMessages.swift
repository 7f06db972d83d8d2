package import CBOR
package import Messaging

/// What operators ask of the host. It carries links and states as the bytes that they are; see ``CarriedItem``.
@ResponderMessages
package protocol HostMessages {
    func hostStatus() async throws -> HostStatus
    /// A page of the peers that are attached; `after` is where the page before ended.
    func hostLinks(after: String?, limit: Int?) async throws -> LinkList
    /// A page of the open sessions, or of those that a worker has something of.
    func hostSessions(worker: String?, after: String?, limit: Int?) async throws -> SessionList
    func hostSession(session: String) async throws -> SessionStatus
    func hostOpenSession(configuration: String?, role: String, link: CBORRaw?) async throws -> SessionStatus
    /// The state that a session's next scene would start from.
    func hostSessionState(session: String) async throws -> CBORRaw?
    func hostCloseSession(session: String) async throws
    func hostSceneContent(session: String) async throws -> ScreenContent
    func hostSceneAct(session: String, action: String, fields: [String: String]) async throws -> ScreenContent
    /// Opens a link in a session's scene, or in the first scene that takes it.
    func hostOpen(link: CBORRaw, session: String?) async throws -> SessionStatus
    /// Moves a session's scene to a worker, or to the one with the most room.
    func hostMove(session: String, worker: String?) async throws -> SessionStatus
    /// Moves a worker's scenes elsewhere and gives it no more; or gives it some again.
    func hostDrain(worker: String, isDraining: Bool) async throws -> WorkerStatus
    /// Ends the process of a worker that the host has started: it starts it again.
    func hostRestart(worker: String) async throws
    func hostWorkers(after: String?, limit: Int?) async throws -> WorkerList
    func hostWorker(worker: String) async throws -> WorkerStatus
    /// An entry of the container; `nil` when it is not there.
    func hostDependency(key: String) async throws -> DependencyStatus?
    /// The entries of the container in the order in which they were set last, a page at a time.
    func hostDependencies(after: DependencyPlace?) async throws -> DependencyPage
    func hostPlugins(after: String?, limit: Int?) async throws -> PluginList
    /// What a process that the host has started has written, in pages. The host keeps the last lines of the present process and of
    /// the one before.
    /// - Parameters:
    ///   - previous: only what the process before the present one has written.
    ///   - after: the number of the last line that is known; `nil` for the first page of one process.
    func hostLogs(instance: String, previous: Bool, after: UInt64?) async throws -> LogPage
}

extension ResponderChain: HostMessages {}
