/// The status of an attached worker.
package struct WorkerStatus: Codable, Hashable, Sendable {
    package var worker: String
    package var pid: Int32
    /// The version of its own software.
    package var software: String
    package var scenes: [String]
    package var capacity: Int
    /// The number of sessions that it runs, creates, holds or is ending; `hostSessions` lists them.
    package var sessions: Int
    /// The number of scenes that it has been told to end but whose end it has not confirmed. Each still occupies a
    /// place.
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

/// A page of the attached workers.
package struct WorkerList: Codable, Hashable, Sendable, HostList {
    package var workers: [WorkerStatus]
    package var next: String?
    package var items: [WorkerStatus] { workers }

    package init(workers: [WorkerStatus], next: String?) {
        self.workers = workers
        self.next = next
    }
}
