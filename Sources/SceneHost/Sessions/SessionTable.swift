import Bus
import CoordinatorKit
import DequeModule
import Store

/// Which worker runs the scene of each session, and how it comes to run elsewhere. A value: events in, actions out, with the
/// time fed in.
///
///     waiting > connecting > running > freezing > storing > connecting (elsewhere) > running
///        ^ lease over                     |  a worker that comes back: returning > resuming > running
///        +---- leased <-------------------+
///
/// One path serves a move, a drain, an upgrade and a crash; a crash enters it where the worker's lease is over. Each grant of a
/// session to a worker has a new fencing token, larger than all before: what an older scene says is refused.
///
/// Only its own extensions change its properties.
struct SessionTable {
    typealias WorkerID = UInt64

    struct Timing {
        var retry = Retry.Timing(first: .seconds(1), maximum: .seconds(30))
        /// How long a worker that the host has lost sight of may go on: two heartbeats, and a margin for the clocks.
        var lease = Duration.milliseconds(2500)
    }

    let timing: Timing
    var sessions: [String: Session] = [:]
    var workers: [WorkerID: Worker] = [:]
    /// Sessions that wait for a worker, by configuration; some may not wait any more.
    var queues: [String: Deque<String>] = [:]
    /// Sessions that are tried again after a wait.
    var failing: Set<String> = []
    var draining: Set<WorkerID> = []
    /// Processes that were being drained when their links were lost.
    var drained: Set<ProcessIdentity> = []
    var quiet: Set<WorkerID> = []
    /// Workers that have become free for something since sessions were given to workers last.
    var freed: Set<WorkerID> = []
    var lastToken: UInt64
    /// Until then an earlier host's workers may still run scenes.
    var startUntil: ContinuousClock.Instant?
    /// Workers that the host has started, and that have not come yet; until they have, or the time is over, nothing is placed: the
    /// first one would get everything.
    var expected: (workers: Set<String>, until: ContinuousClock.Instant)?
    /// The store does not know yet that a host runs: were this one killed, the next would not wait for its workers' leases.
    private(set) var isHeld = false
    var isEnding = false
    var lastPosition: Int64 = 0
    /// When there is something to do next; may be earlier than the first session's.
    var nextTick: ContinuousClock.Instant?

    /// - Parameter epoch: the host's life: tokens of a later one are larger than those of an earlier one.
    init(epoch: UInt64, timing: Timing = Timing()) {
        lastToken = epoch << 20
        self.timing = timing
    }

    // MARK: - The host's life

    /// Takes over the sessions of an earlier host.
    /// - Parameters:
    ///   - isClean: that host ended in order: no worker runs a scene.
    ///   - expected: the names of the workers that the host starts.
    mutating func start(
        with records: [SessionRecord], isClean: Bool, expecting names: Set<String> = [],
        at now: ContinuousClock.Instant
    ) {
        if !names.isEmpty {
            expected = (names, now + timing.lease)
            wake(at: now + timing.lease)
        }
        for record in records {
            var session = Session(record: record)
            lastToken = max(lastToken, record.token)
            lastPosition = max(lastPosition, record.position)
            if !isClean {
                session.phase = .leased(until: now + timing.lease)
                session.problem = "the host has just started, and a worker may still run its scene"
            }
            sessions[record.id] = session
            if isClean { enqueue(record.id) }
        }
        guard !isClean, !records.isEmpty else { return }
        startUntil = now + timing.lease
        wake(at: now + timing.lease)
    }

    /// Places nothing until ``release()``.
    mutating func hold() { isHeld = true }

    mutating func release() -> [Action] {
        isHeld = false
        var actions: [Action] = []
        for session in ordered {
            guard case .returning(let worker) = session.phase, workers[worker]?.isReady == true else { continue }
            actions.append(resume(session.id, at: worker))
        }
        return actions + schedule(Set(queues.keys))
    }

    /// The host ends: what its workers give up is placed nowhere else.
    mutating func end() {
        isEnding = true
        nextTick = nil
    }

    var connectedCount: Int {
        sessions.values.count { if case .running = $0.phase { true } else { false } }
    }

    /// The open sessions, in the order in which they were opened.
    var ordered: [Session] { sessions.values.sorted { $0.record.position < $1.record.position } }

    /// Whether a worker's scene may speak for a session.
    func mayAct(_ id: String, token: UInt64, worker: WorkerID) -> Bool {
        guard let session = sessions[id], session.token == token else { return false }
        switch session.phase {
        case .running(worker), .connecting(worker, _), .resuming(worker), .freezing(worker, _): return true
        default: return false
        }
    }

    // MARK: - Sessions

    /// The next session's place in the order.
    mutating func nextPosition() -> Int64 {
        lastPosition += 1
        return lastPosition
    }

    mutating func opened(_ record: SessionRecord, links: [DeepLink], at now: ContinuousClock.Instant) -> [Action] {
        sessions[record.id] = Session(record: record, links: links)
        enqueue(record.id)
        return schedule(record.configuration)
    }

    /// A session is closed for good.
    mutating func closed(_ id: String) -> [Action] {
        guard let session = sessions[id] else { return [] }
        var discards = session.phase.workers.map { Action.discard(id, $0, token: session.token) }
        if let candidate = session.candidate {
            discards.append(.discard(id, candidate.worker, token: candidate.token))
        }
        setPhase(.waiting, of: id)
        sessions[id] = nil
        failing.remove(id)
        return discards + scheduleFreed(and: session.record.configuration) + drainAll()
    }

    /// Keeps the state of a session's scene.
    /// - Returns: whether it is another than before.
    /// - Throws: ``SceneCommandError`` when the sender may not speak for the session.
    mutating func checkpoint(_ id: String, state: UserActivity, token: UInt64) throws -> Bool {
        guard let session = sessions[id] else { throw SceneCommandError.notOpen(id) }
        guard token == session.token else {
            throw SceneCommandError(code: "staleToken", "session '\(id)' lives elsewhere by now")
        }
        return keep(state, of: id)
    }

    /// - Returns: whether the state is another than before.
    mutating func keep(_ state: UserActivity, of id: String) -> Bool {
        guard sessions[id]?.record.state != state else { return false }
        sessions[id]?.record.state = state
        // Another state may be read where that one was not.
        sessions[id]?.refusedBy = []
        return true
    }

    // MARK: - Time

    mutating func wake(at time: ContinuousClock.Instant?) {
        guard !isEnding, let time else { return }
        nextTick = min(nextTick ?? time, time)
    }

    /// Looks at the clock: leases that are over, placements that are tried again.
    mutating func tick(at now: ContinuousClock.Instant) -> [Action] {
        guard !isEnding, let nextTick, now >= nextTick else { return [] }
        self.nextTick = nil
        var actions: [Action] = []
        var configurations: Set<String> = []
        if let startUntil, now >= startUntil { self.startUntil = nil }
        if let expected, now >= expected.until {
            self.expected = nil
            configurations.formUnion(queues.keys)
        } else {
            wake(at: expected?.until)
        }
        for session in ordered {
            if case .leased(let until) = session.phase {
                guard now >= until else {
                    wake(at: until)
                    continue
                }
                if let candidate = session.candidate {
                    sessions[session.id]?.candidate = nil
                    sessions[session.id]?.record.token = candidate.token
                    setPhase(.returning(candidate.worker), of: session.id)
                    if workers[candidate.worker]?.isReady == true {
                        actions.append(resume(session.id, at: candidate.worker))
                    }
                } else {
                    setPhase(.waiting, of: session.id)
                    sessions[session.id]?.retry.begin()
                    enqueue(session.id)
                    configurations.insert(session.record.configuration)
                }
            } else if let due = session.retry.due {
                guard now >= due else {
                    wake(at: due)
                    continue
                }
                sessions[session.id]?.retry.begin()
                failing.remove(session.id)
                if case .withdrawing(let worker) = session.phase {
                    actions.append(.withdraw(session.id, worker, token: session.token))
                    continue
                }
                enqueue(session.id)
                configurations.insert(session.record.configuration)
            }
        }
        return actions + schedule(configurations) + drainAll()
    }
}
