/// One line of what one process saw or did, with the moment on the machine's monotonic clock, which all processes share.
package struct HistoryRecord: Codable, Hashable, Sendable {
    /// Nanoseconds.
    package var time: UInt64
    /// The name of the process's place: the same for the process that is started after one was killed.
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

/// What can be seen or done.
package enum Event: Codable, Hashable, Sendable {
    // The one who makes the faults.

    /// A process runs, on the machine of that number.
    case started(machine: Int)
    /// A process has ended; it was not expected to unless it was killed or told to.
    case ended(how: String, isExpected: Bool)
    /// A fault is about to be made.
    case fault(FaultRecord)
    /// A fault's effect has just ended.
    case mended(number: Int)
    /// The one who makes the faults sees a promise broken.
    case broke(promise: Promise, detail: String)
    /// The processes that the host says are attached.
    case attached(pids: [Int32])
    /// What is there when all is said and done.
    case final(FinalLook)

    // Requests.

    case asked(RecordedRequest)
    case answered(id: String, outcome: RequestOutcome)
    /// A handler does what a request asks for.
    case applied(id: String)

    // Dependencies.

    /// An entry's owner is about to set it.
    case set(entry: String, value: Counter)
    /// An entry has changed in this process's container; `nil` when it is not there any more.
    case saw(entry: String, value: Counter?)
    /// A request that set an entry has returned, and the container held that value.
    case wrote(id: String, entry: String, value: Counter, held: Counter?)

    // Sessions.

    case opened(session: String)
    /// A session's end has been asked for; nobody may ask for it again.
    case closing(session: String)
    /// A session's scene runs here from now on, with what it had kept.
    case active(session: String, token: UInt64, count: Int)
    /// The session's scene does not run here any more, or must not do anything.
    case inactive(session: String, reason: String)
    /// A scene takes an input, and counts it.
    case input(id: String, session: String, count: Int)
    /// What the host says of where sessions run.
    case looked(placements: [String: Placement])
    /// What the host says of what a session has kept.
    case stored(session: String, count: Int)
}

/// A request as its sender knows it.
package struct RecordedRequest: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, CaseIterable, Sendable {
        case plain, idempotent, once, write, post, input, control
    }

    package var id: String
    package var kind: Kind
    /// Nanoseconds from its start by which it must have ended; 0 for a post, which has no end.
    package var deadline: UInt64
    /// The session whose scene sends it.
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
    /// The bus's own end; `false` when it says that the request was surely not handled.
    case failed(code: String, mayHaveBeenHandled: Bool)
    /// The handler threw.
    case threw(String)
    /// The sender itself gave up.
    case cancelled

    /// For the table.
    package var name: String {
        switch self {
        case .reply: "reply"
        case .failed(let code, _): code
        case .threw: "threw"
        case .cancelled: "cancelled"
        }
    }
}

/// A value that only grows: a later life of its owner counts for more than any number of an earlier one.
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

/// Where a session's scene runs, as the host says.
package struct Placement: Codable, Hashable, Sendable {
    /// The worker that has it, or is about to.
    package var worker: String?
    package var token: UInt64
    /// Whether the scene is there.
    package var isRunning: Bool

    package init(worker: String?, token: UInt64, isRunning: Bool) {
        self.worker = worker
        self.token = token
        self.isRunning = isRunning
    }
}

/// The last look, when all faults are mended.
package struct FinalLook: Codable, Hashable, Sendable {
    /// The open sessions.
    package var sessions: [String: Placement]
    /// The processes that should have the latest value of every entry.
    package var observers: [Int32]
    /// Processes that should have ended and have not.
    package var leftProcesses: [String]
    /// Open descriptors of each place's process before the first fault and after the last.
    package var descriptors: [String: DescriptorCount]
    /// The most memory that a process of each place had at any time, in kilobytes.
    package var memory: [String: Int]

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
        descriptors: [String: DescriptorCount], memory: [String: Int] = [:]
    ) {
        self.sessions = sessions
        self.observers = observers
        self.leftProcesses = leftProcesses
        self.descriptors = descriptors
        self.memory = memory
    }
}
