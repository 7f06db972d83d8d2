package import CBOR
package import CoordinatorKit

/// What operators ask of the host.
@ResponderMessages
package protocol HostMessages {
    func hostStatus() async throws -> HostStatus
    func hostSessions() async throws -> [SessionStatus]
    func hostOpenSession(configuration: String?, role: String, link: DeepLink?) async throws -> SessionStatus
    /// The state that a session's next scene would start from.
    func hostSessionState(session: String) async throws -> UserActivity?
    func hostCloseSession(session: String) async throws
    func hostSceneContent(session: String) async throws -> ScreenContent
    func hostSceneAct(session: String, action: String, fields: [String: String]) async throws -> ScreenContent
    /// Opens a link in a session's scene, or in the first scene that takes it.
    func hostOpen(link: DeepLink, session: String?) async throws -> SessionStatus
    /// Moves a session's scene to a worker, or to the one with the most room.
    func hostMove(session: String, worker: String?) async throws -> SessionStatus
    /// Moves a worker's scenes elsewhere and gives it no more; or gives it some again.
    func hostDrain(worker: String, isDraining: Bool) async throws -> WorkerStatus
    /// Ends the process of a worker that the host has started: it starts it again.
    func hostRestart(worker: String) async throws
    func hostWorkers() async throws -> [WorkerStatus]
    func hostDependencies() async throws -> [DependencyStatus]
    func hostPlugins() async throws -> [PluginStatus]
}

extension ResponderChain: HostMessages {}

/// What `scenebus status` shows.
package struct HostStatus: Codable, Hashable, Sendable {
    package var name: String
    package var pid: Int32
    package var epoch: UInt64
    package var uptimeSeconds: Double
    package var endpoints: [String]
    package var revision: UInt64
    package var openSessions: Int
    package var connectedScenes: Int
    package var links: [LinkStatus]
    /// How often each thing was counted: frames in and out, refusals and drops by reason.
    package var counters: [String: UInt64]
    package var unhandledPosts: [String: Int]
    /// What is wrong and did not stop the host.
    package var problems: [String]

    package init(
        name: String, pid: Int32, epoch: UInt64, uptimeSeconds: Double, endpoints: [String], revision: UInt64,
        openSessions: Int, connectedScenes: Int, links: [LinkStatus], counters: [String: UInt64],
        unhandledPosts: [String: Int], problems: [String]
    ) {
        self.name = name
        self.pid = pid
        self.epoch = epoch
        self.uptimeSeconds = uptimeSeconds
        self.endpoints = endpoints
        self.revision = revision
        self.openSessions = openSessions
        self.connectedScenes = connectedScenes
        self.links = links
        self.counters = counters
        self.unhandledPosts = unhandledPosts
        self.problems = problems
    }
}

package struct LinkStatus: Codable, Hashable, Sendable {
    package var link: UInt64
    package var peer: String
    package var role: Role
    package var pid: Int32
    package var sessions: [String]
    package var silentSeconds: Double
    package var pendingRequests: Int

    package init(
        link: UInt64, peer: String, role: Role, pid: Int32, sessions: [String], silentSeconds: Double,
        pendingRequests: Int
    ) {
        self.link = link
        self.peer = peer
        self.role = role
        self.pid = pid
        self.sessions = sessions
        self.silentSeconds = silentSeconds
        self.pendingRequests = pendingRequests
    }
}

package struct SessionStatus: Codable, Hashable, Sendable {
    package var session: String
    package var configuration: String
    package var role: String
    /// The worker that runs its scene; `nil` while no scene is connected.
    package var worker: String?
    package var pid: Int32?
    package var token: UInt64
    /// "running", "connecting", "moving", "resuming", "cut off" (a worker that is not attached may run it), "waiting".
    package var state: String
    /// Why no scene is connected.
    package var problem: String?

    package init(
        session: String, configuration: String, role: String, worker: String?, pid: Int32?, token: UInt64,
        state: String, problem: String?
    ) {
        self.session = session
        self.configuration = configuration
        self.role = role
        self.worker = worker
        self.pid = pid
        self.token = token
        self.state = state
        self.problem = problem
    }
}

/// A worker that is attached.
package struct WorkerStatus: Codable, Hashable, Sendable {
    package var worker: String
    package var pid: Int32
    /// The version of its own software.
    package var software: String
    package var scenes: [String]
    package var capacity: Int
    package var sessions: [String]
    package var isDraining: Bool

    package init(
        worker: String, pid: Int32, software: String, scenes: [String], capacity: Int, sessions: [String],
        isDraining: Bool
    ) {
        self.worker = worker
        self.pid = pid
        self.software = software
        self.scenes = scenes
        self.capacity = capacity
        self.sessions = sessions
        self.isDraining = isDraining
    }
}

package struct DependencyStatus: Codable, Hashable, Sendable {
    package var key: String
    package var value: CBORValue
    package var revision: UInt64
    package var owner: String

    package init(key: String, value: CBORValue, revision: UInt64, owner: String) {
        self.key = key
        self.value = value
        self.revision = revision
        self.owner = owner
    }
}

package struct PluginStatus: Codable, Hashable, Sendable {
    package var id: String
    package var instance: String
    package var version: String
    package var state: String
    package var pid: Int32?
    package var restarts: Int
    package var handles: [String]
    package var provides: [String]
    package var scenes: [String]
    package var problem: String?

    package init(
        id: String, instance: String, version: String, state: String, pid: Int32?, restarts: Int, handles: [String],
        provides: [String], scenes: [String], problem: String?
    ) {
        self.id = id
        self.instance = instance
        self.version = version
        self.state = state
        self.pid = pid
        self.restarts = restarts
        self.handles = handles
        self.provides = provides
        self.scenes = scenes
        self.problem = problem
    }
}
