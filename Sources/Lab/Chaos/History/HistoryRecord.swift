/// An observation or action of a process, with the time on the machine's monotonic clock, which all processes share.
package struct HistoryRecord: Codable, Hashable, Sendable {
    /// The time in nanoseconds.
    package var time: UInt64
    /// The name of the process's place. A process that replaces a killed one has the same name.
    package var process: String
    package var pid: Int32
    package var event: Event

    package init(time: UInt64, process: String, pid: Int32, event: Event) {
        self.time = time
        self.process = process
        self.pid = pid
        self.event = event
    }
}

/// The observations and actions.
package enum Event: Codable, Hashable, Sendable {
    // Recorded by the fault maker.

    /// A process has started on the machine with a number.
    case started(machine: Int)
    /// A process has ended. This is expected if it was killed or asked to end.
    case ended(how: String, isExpected: Bool)
    /// A fault is about to start.
    case fault(FaultRecord)
    /// A fault has just ended.
    case mended(number: Int)
    /// The fault maker has observed a violated guarantee.
    case broke(promise: Promise, detail: String)
    /// How long processes have waited for a processor since the last such record, in nanoseconds: the host and the
    /// one that has waited longest of the others, together.
    case waited(nanoseconds: UInt64)
    /// The attached processes according to the host.
    case attached(pids: [Int32])
    /// The state at the end of the run.
    case final(FinalLook)

    // Requests.

    case asked(RecordedRequest)
    case answered(id: String, outcome: RequestOutcome)
    /// A request is sent again with the same identifier, because nobody knows whether it was carried out.
    case askedAgain(id: String)
    /// A handler has executed a request.
    case applied(id: String)

    // Dependencies.

    /// An entry's owner is about to set it.
    case set(entry: String, value: Counter)
    /// An entry has changed in this process's container; `nil` when it was removed.
    case saw(entry: String, value: Counter?)
    /// A request that set an entry has returned, and the container held that value.
    case wrote(id: String, entry: String, value: Counter, held: Counter?)

    // Sessions.

    case opened(session: String)
    /// The closing of a session was requested, so the session may be gone from now on.
    case closing(session: String)
    /// A session's scene has started in this process, with its restored count and the restored numbers of its fields.
    case active(session: String, token: UInt64, count: Int, typed: [String: Int] = [:])
    /// The session's scene has ended in this process or is suspended.
    case inactive(session: String, reason: String)
    /// A scene has counted an input.
    case input(id: String, session: String, count: Int)
    /// The placements of the sessions according to the host.
    case looked(placements: [String: Placement])
    /// A session was held because several workers had ended with its scene in hands, and was retried as an operator does.
    case retried(session: String)
    /// The stored count of a session according to the host.
    case stored(session: String, count: Int)

    // Watchers of scenes.

    /// The process is about to type a number into a field of a session's scene, with the request `id`. The numbers of a field
    /// only increase, and no other process types into it.
    case typing(id: String, session: String, field: String, number: Int)
    /// The process begins to watch a session's scene.
    case watching(session: String)
    /// The process is shown what a session's scene shows.
    case shown(session: String, picture: ShownPicture)
    /// The process was told that it cannot watch a session's scene any more.
    case unwatched(session: String, reason: String)
}

/// A request from its sender's point of view.
package struct RecordedRequest: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, CaseIterable, Sendable {
        case plain, idempotent, once, write, post, control
        /// An action in a scene, which is sent once.
        case input
        /// An action in a scene as browsers and terminals send it: again with the same identifier while its end is not known.
        case action
        /// What is typed into a field of a scene.
        case fill
    }

    package var id: String
    package var kind: Kind
    /// The time after its start by which it must have ended, in nanoseconds, also if it is sent several times; 0 for a post,
    /// which has no reply.
    package var deadline: UInt64
    /// The session whose scene has sent it.
    package var session: String?

    package init(id: String, kind: Kind, deadline: UInt64, session: String? = nil) {
        self.id = id
        self.kind = kind
        self.deadline = deadline
        self.session = session
    }
}

/// How a request ended.
package enum RequestOutcome: Codable, Hashable, Sendable {
    case reply
    /// The bus reported a failure; `false` when it reported that the request was not handled.
    case failed(code: String, mayHaveBeenHandled: Bool)
    /// The handler threw an error.
    case threw(String)
    /// The sender cancelled the request.
    case cancelled

    /// The name for the report.
    package var name: String {
        switch self {
        case .reply: "reply"
        case .failed(let code, _): code
        case .threw: "threw"
        case .cancelled: "cancelled"
        }
    }
}

/// A value that only increases. Every value of a later life of its owner is greater than all values of earlier lives.
package struct Counter: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// When the owner's process started, in nanoseconds.
    package var life: UInt64
    package var value: Int

    package init(life: UInt64, value: Int) {
        self.life = life
        self.value = value
    }

    package static func < (left: Counter, right: Counter) -> Bool {
        (left.life, left.value) < (right.life, right.value)
    }

    package var description: String { "\(value) of life \(life)" }
}

/// The placement of a session's scene according to the host.
package struct Placement: Codable, Hashable, Sendable {
    /// The worker that runs the scene or is about to.
    package var worker: String?
    package var token: UInt64
    /// Whether the scene runs.
    package var isRunning: Bool

    package init(worker: String?, token: UInt64, isRunning: Bool) {
        self.worker = worker
        self.token = token
        self.isRunning = isRunning
    }
}

/// The final state, after all faults have ended.
package struct FinalLook: Codable, Hashable, Sendable {
    /// The open sessions.
    package var sessions: [String: Placement]
    /// The processes that must have the latest value of every entry.
    package var observers: [Int32]
    /// The processes that should have ended but still run.
    package var leftProcesses: [String]
    /// The number of open descriptors of each place's process, before the first fault and after the last one.
    package var descriptors: [String: DescriptorCount]
    /// The peak memory of each place's processes, in kilobytes.
    package var memory: [String: Int]
    /// The numbers in the fields of each session's state, from which its next scene would start. A session whose state could
    /// not be read is missing.
    package var typed: [String: [String: Int]]

    package struct DescriptorCount: Codable, Hashable, Sendable {
        package var before: Int
        package var after: Int

        package init(before: Int, after: Int) {
            self.before = before
            self.after = after
        }
    }

    package init(
        sessions: [String: Placement], observers: [Int32], leftProcesses: [String],
        descriptors: [String: DescriptorCount], memory: [String: Int] = [:], typed: [String: [String: Int]] = [:]
    ) {
        self.sessions = sessions
        self.observers = observers
        self.leftProcesses = leftProcesses
        self.descriptors = descriptors
        self.memory = memory
        self.typed = typed
    }
}
