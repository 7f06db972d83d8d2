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
    /// How many peers are attached; `hostLinks` lists them.
    package var linkCount: Int
    /// How often each thing was counted: frames in and out, refusals and drops by reason.
    package var counters: [String: UInt64]
    package var unhandledPosts: [String: Int]
    /// What is wrong and did not stop the host.
    package var problems: [String]

    package init(
        name: String, pid: Int32, epoch: UInt64, uptimeSeconds: Double, endpoints: [String], revision: UInt64,
        openSessions: Int, connectedScenes: Int, linkCount: Int, counters: [String: UInt64],
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
        self.linkCount = linkCount
        self.counters = counters
        self.unhandledPosts = unhandledPosts
        self.problems = problems
    }
}

/// A peer that is attached.
package struct LinkStatus: Codable, Hashable, Sendable {
    /// The link's number in the host's life.
    package var link: UInt64
    /// The peer's name.
    package var peer: String
    package var role: Role
    /// The peer's process, as it says itself.
    package var pid: Int32
    /// How many sessions it has something of; 0 for all but workers.
    package var sessions: Int
    /// Seconds since the host got a frame from it.
    package var silentSeconds: Double
    /// Requests that the host has sent to it and that have no end yet.
    package var pendingRequests: Int
    /// What the peer has dropped since it started, by reason.
    package var drops: [String: UInt64]

    package init(
        link: UInt64, peer: String, role: Role, pid: Int32, sessions: Int, silentSeconds: Double,
        pendingRequests: Int, drops: [String: UInt64]
    ) {
        self.link = link
        self.peer = peer
        self.role = role
        self.pid = pid
        self.sessions = sessions
        self.silentSeconds = silentSeconds
        self.pendingRequests = pendingRequests
        self.drops = drops
    }
}

package struct SessionStatus: Codable, Hashable, Sendable {
    package var session: String
    package var configuration: String
    package var role: String
    /// The worker that runs its scene, makes it, holds it or is told to end it; `nil` while no attached worker has anything of it:
    /// "waiting", "cut off".
    package var worker: String?
    /// That worker's process.
    package var pid: Int32?
    /// The fencing token of its last grant; 0 before the first.
    package var token: UInt64
    /// "running", "connecting", "moving", "resuming", "withdrawing" (a worker that may have it is told to end it), "cut off" (a
    /// worker that is not attached may run it), "waiting".
    package var state: String
    /// Why its scene does not run, or why it cannot leave a worker that is drained; `nil` when all is as it should be.
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
    /// How many sessions it has something of; `hostSessions` lists them.
    package var sessions: Int
    /// How many scenes it has been told to end and has not said that it has: each takes a place still.
    package var ending: Int
    package var isDraining: Bool

    package init(
        worker: String, pid: Int32, software: String, scenes: [String], capacity: Int, sessions: Int, ending: Int,
        isDraining: Bool
    ) {
        self.worker = worker
        self.pid = pid
        self.software = software
        self.scenes = scenes
        self.capacity = capacity
        self.sessions = sessions
        self.ending = ending
        self.isDraining = isDraining
    }
}

/// An entry of the container.
package struct DependencyStatus: Codable, Hashable, Sendable {
    package var key: String
    /// The value as it was set, in CBOR: what holds it must not make it deeper or larger than a reader takes.
    package var value: [UInt8]
    /// The revision that set it last.
    package var revision: UInt64
    /// The peer that set it last; empty for the host itself.
    package var owner: String
    /// How long that peer has not been attached: the value is the last that it said. `nil` while it is attached.
    package var ownerGoneSeconds: Double?

    package init(key: String, value: [UInt8], revision: UInt64, owner: String, ownerGoneSeconds: Double? = nil) {
        self.key = key
        self.value = value
        self.revision = revision
        self.owner = owner
        self.ownerGoneSeconds = ownerGoneSeconds
    }
}

/// Some of the entries. One that changes between two pages comes again.
package struct DependencyPage: Codable, Hashable, Sendable {
    package var entries: [DependencyStatus]
    /// After which the next page begins; `nil` when there are no more.
    package var next: DependencyPlace?

    package init(entries: [DependencyStatus], next: DependencyPlace?) {
        self.entries = entries
        self.next = next
    }
}

/// An entry's place in the order in which entries were set last.
package struct DependencyPlace: Codable, Hashable, Sendable {
    package var revision: UInt64
    package var key: String

    package init(revision: UInt64, key: String) {
        self.revision = revision
        self.key = key
    }
}

/// A process that the host starts: one instance of a plugin or scene worker.
package struct PluginStatus: Codable, Hashable, Sendable {
    /// The plugin's id, as in its manifest.
    package var id: String
    /// The name that this process says hello with: the id, with a number behind it when there are several instances.
    package var instance: String
    /// The manifest's version.
    package var version: String
    /// "starting", "attached", "hung" (its link is lost, and its process lives), "ending" (it has said goodbye, or was asked to
    /// end), "waiting" (to be started again), "failed" (it cannot be started), "ended".
    package var state: String
    /// `nil` while it has no process.
    package var pid: Int32?
    /// How often it was started again, in the host's life.
    package var restarts: Int
    /// The messages that its manifest lets it handle.
    package var handles: [String]
    /// The entries that its manifest lets it set.
    package var provides: [String]
    /// The scene configurations that its manifest lets it run.
    package var scenes: [String]
    /// How its last process or link ended, or why it was refused; `nil` once it is attached.
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

/// Some of what a process that the host has started has written.
package struct LogPage: Codable, Hashable, Sendable {
    package var lines: [LogLine]
    /// Where the next page goes on: the number of the last line that is known with this page.
    package var last: UInt64
    /// There are more lines already.
    package var hasMore: Bool

    package init(lines: [LogLine], last: UInt64, hasMore: Bool) {
        self.lines = lines
        self.last = last
        self.hasMore = hasMore
    }
}

/// One line of a process's output.
package struct LogLine: Codable, Hashable, Sendable {
    /// Counts the lines of all processes of the instance, from 1. A number that is left out stands for a line that is not kept.
    package var number: UInt64
    /// Counts the instance's starts in the host's life: 0 for the first.
    package var start: Int
    /// It was written to the standard error.
    package var isError: Bool
    /// The line, cut when it is very long. It may hold what acts on a terminal.
    package var text: String

    package init(number: UInt64, start: Int, isError: Bool, text: String) {
        self.number = number
        self.start = start
        self.isError = isError
        self.text = text
    }
}
