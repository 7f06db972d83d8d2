/// An open session, and where its scene runs.
package struct SessionStatus: Codable, Hashable, Sendable {
    package var session: String
    package var configuration: String
    package var role: String
    /// The worker that runs its scene, creates it, holds it or has been told to end it. `nil` while no attached worker
    /// does: in the states "waiting" and "cut off".
    package var worker: String?
    /// That worker's process ID.
    package var pid: Int32?
    /// The fencing token of its last grant; 0 before the first.
    package var token: UInt64
    package var state: SessionState
    /// Why its scene does not run, or why it cannot leave a worker that is being drained; `nil` when there is no
    /// problem.
    package var problem: String?
    /// Whether the host gives it to no worker because it has crashed several; `nil` for no.
    package var isHeld: Bool?

    package init(
        session: String, configuration: String, role: String, worker: String?, pid: Int32?, token: UInt64,
        state: SessionState, problem: String?, isHeld: Bool? = nil
    ) {
        self.session = session
        self.configuration = configuration
        self.role = role
        self.worker = worker
        self.pid = pid
        self.token = token
        self.state = state
        self.problem = problem
        self.isHeld = isHeld
    }
}

/// A page of the open sessions.
package struct SessionList: Codable, Hashable, Sendable, HostList {
    package var sessions: [SessionStatus]
    package var next: String?
    package var items: [SessionStatus] { sessions }

    package init(sessions: [SessionStatus], next: String?) {
        self.sessions = sessions
        self.next = next
    }
}
