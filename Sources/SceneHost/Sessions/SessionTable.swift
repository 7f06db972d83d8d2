import Bus
import CBOR
import Messaging
import DequeModule

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
/// What one event costs does not grow with how many sessions and workers there are: all that is looked up has an index, and what
/// concerns many at once is done in slices (see ``hasMore``).
///
/// Only its own extensions change its properties.
struct SessionTable {
    struct Timing {
        var retry = Retry.Timing(first: .seconds(1), maximum: .seconds(30))
        /// How long a worker that the host has lost sight of may go on: two heartbeats, and a margin for the clocks.
        var lease = Duration.milliseconds(2500)
        /// How long after a host's start a worker that the earlier one did not answer may come: an answer's time, a wait's, and a
        /// margin.
        var comeBack = Duration.milliseconds(4500)
        /// How long a new host waits at most for the workers of an earlier one.
        var longestCollection = Duration.seconds(60)
        /// How long a scene waits for its worker to be complete again: one that attaches again and again, and gets nothing from the
        /// publisher, must not keep it for ever.
        var patience = Duration.seconds(10)
    }

    /// How many sessions the clock is looked at for in one turn of the loop, and how many are given a worker.
    static let slice = 256
    static let placements = 128

    let timing: Timing
    var sessions = SessionMap<Session>()
    var order = SessionOrder()
    var workers: [WorkerID: AttachedWorker] = [:]
    /// The workers that offer each configuration, and its sessions that want one of them.
    var pools: [String: ConfigurationPool] = [:]
    /// How many sessions may still be given a worker before the next ``tick(at:)``.
    var placementsLeft = SessionTable.placements
    /// Configurations for which there is new room, or whose sessions want some anew.
    var pending: Set<String> = []
    /// Sessions whose scenes wait, suspended, for the word to go on.
    var resumable: Deque<(session: String, worker: WorkerID)> = []
    /// Sessions of an earlier host whose scenes its workers may still hold, in order.
    var collecting: Deque<String> = []
    /// Those among them whose scenes no worker had when ``startUntil`` was over, and that wait until ``lateUntil``.
    var late: Deque<String> = []
    /// When leases are over, and when what failed is tried again.
    var agenda = Agenda()
    /// Processes that were being drained when their links were lost.
    var drained: Set<ProcessIdentity> = []
    var quiet: Set<WorkerID> = []
    var lastToken: UInt64
    var lastStamp: UInt64 = 0
    /// Until then an earlier host's workers may come with scenes.
    var startUntil: ContinuousClock.Instant?
    /// Until then the last of them may come; `nil` when that is over, and from ``startUntil`` on unless workers have outlived that host.
    var lateUntil: ContinuousClock.Instant?
    /// The latest that these two may become.
    var lastStartUntil: ContinuousClock.Instant?
    /// Until then workers of an earlier host may come back, also those that held nothing.
    var comingUntil: ContinuousClock.Instant?
    /// A worker has come with scenes of an earlier host: others may, too.
    var hasSeenHeld = false
    /// Workers that the host has started, and that have not come yet; until they have, or the time is over, nothing is placed: the
    /// first one would get everything.
    var expected: (workers: Set<String>, until: ContinuousClock.Instant)?
    /// A worker that outlives this host has kept scenes.
    var isKeptBeyond = false
    /// The store does not know yet that a host runs: were this one killed, the next would not wait for its workers' leases.
    private(set) var isHeld = false
    var isEnding = false
    var lastPosition: Int64 = 0
    /// Sessions whose scene runs.
    var connectedCount = 0
    /// Sessions that are another way on their way than when ``takeChanges()`` was called last.
    var changed: Set<String> = []
    /// Configurations whose last room has gone since then, or that nothing is waited for any more.
    var exhausted: Set<String> = []

    /// - Parameter epoch: the host's life: tokens of a later one are larger than those of an earlier one.
    init(epoch: UInt64, timing: Timing = Timing()) {
        lastToken = epoch << 20
        self.timing = timing
    }

    // MARK: - The host's life

    /// Places nothing until ``release()``.
    mutating func hold() { isHeld = true }

    mutating func release() -> [Action] {
        isHeld = false
        exhausted.formUnion(pools.keys)
        return place()
    }

    /// The host ends: what its workers give up is placed nowhere else.
    mutating func end() { isEnding = true }

    /// Whether no worker holds a scene, once all workers have said goodbye to a host that ends.
    var isClean: Bool {
        !isKeptBeyond && sessions.values.allSatisfy { $0.phase == .waiting }
    }

    /// The open sessions, in the order in which they were opened. Looks at all of them.
    var ordered: [Session] { order.ids.compactMap { sessions[$0] } }

    /// Whether a worker's scene may speak for a session.
    func mayAct(_ id: String, token: UInt64, worker: WorkerID) -> Bool {
        guard let session = sessions[id], isCurrent(token, of: session) else { return false }
        switch session.phase {
        case .running(worker), .connecting(worker, _), .resuming(worker), .freezing(worker, _): return true
        // One that could not be told to go on under another token was never told to stand still.
        case .returning(worker): return session.kept != nil
        default: return false
        }
    }

    /// Whether a token is the one that a session's scene was given last, or may not have been replaced by that yet: a scene that is
    /// told to go on where it is has sent under the token before what is on its way.
    private func isCurrent(_ token: UInt64, of session: Session) -> Bool {
        if token == session.token { return true }
        guard let kept = session.kept, kept.token < session.token else { return false }
        switch session.phase {
        case .resuming, .returning: return (kept.token..<session.token).contains(token)
        default: return false
        }
    }

    // MARK: - Sessions

    /// The next session's place in the order.
    mutating func nextPosition() -> Int64 {
        lastPosition += 1
        return lastPosition
    }

    mutating func opened(_ record: SessionRecord, links: [CBORRaw], at now: ContinuousClock.Instant) -> [Action] {
        let session = Session(record: record, links: links)
        sessions[record.id] = session
        order.insert(session.orderKey)
        changed.insert(record.id)
        enqueue(record.id)
        return place()
    }

    /// A session is closed for good.
    mutating func closed(_ id: String) -> [Action] {
        guard let session = sessions[id] else { return [] }
        var actions: [Action] = []
        for worker in session.phase.workers { actions += discard(id, at: worker, token: session.token) }
        if let candidate = session.candidate {
            setCandidate(nil, of: id)
            actions += discard(id, at: candidate.worker, token: candidate.token)
        }
        setPhase(.waiting, of: id)
        sessions[id] = nil
        order.remove(session.orderKey)
        let configuration = session.record.configuration
        pending.insert(configuration)
        actions += place()
        tidy(configuration)
        return actions
    }

    /// Keeps the state of a session's scene.
    /// - Returns: whether it is another than before.
    /// - Throws: ``SceneCommandError`` when the sender may not speak for the session.
    mutating func checkpoint(_ id: String, state: CBORRaw, token: UInt64) throws -> Bool {
        guard let session = sessions[id] else { throw SceneCommandError.notOpen(id) }
        guard isCurrent(token, of: session) else {
            throw SceneCommandError(.staleToken, "session '\(id)' lives elsewhere by now")
        }
        return keep(state, of: id)
    }

    /// - Returns: whether the state is another than before.
    mutating func keep(_ state: CBORRaw, of id: String) -> Bool {
        guard sessions[id]?.record.state != state else { return false }
        sessions[id]?.record.state = state
        // Another state may be read where that one was not.
        sessions[id]?.refusedBy = []
        return true
    }

    /// Keeps only some of the links that a session's next scene opens.
    mutating func keep(links: [CBORRaw], of id: String) { sessions[id]?.links = links }

    // MARK: - Time

    /// When there is something to do next; may be earlier than the first session's.
    var nextTick: ContinuousClock.Instant? {
        isEnding ? nil : [agenda.next, expected?.until, startUntil ?? lateUntil].compactMap { $0 }.min()
    }

    /// Whether there is something to do now that was too much for one turn of the loop.
    var hasMore: Bool {
        guard !isEnding else { return false }
        if startUntil == nil, !collecting.isEmpty || lateUntil == nil && !late.isEmpty { return true }
        return !isHeld && (!resumable.isEmpty || expected == nil && !pending.isEmpty)
    }

    /// Whether ``tick(at:)`` is to be called in the next turn of the loop.
    var wantsTick: Bool { hasMore || !isEnding && placementsLeft < Self.placements }

    /// Looks at the clock: leases that are over, placements that are tried again.
    mutating func tick(at now: ContinuousClock.Instant) -> [Action] {
        guard !isEnding else { return [] }
        placementsLeft = Self.placements
        if let until = expected?.until, now >= until { endExpecting() }
        endCollecting(at: now)
        var left = Self.slice
        while startUntil == nil, left > 0, let id = collecting.popFirst() ?? (lateUntil == nil ? late.popFirst() : nil)
        {
            left -= 1
            collected(id)
        }
        var actions: [Action] = []
        while left > 0, let entry = agenda.popFirst(until: now) {
            left -= 1
            switch entry.item {
            case .session(let id): actions += due(id, at: now)
            case .discard(let id, let worker): actions += discardAgain(id, at: worker, now)
            }
        }
        if agenda.count > 4 * (sessions.count + workers.count) + 64 { forgetWhatIsNotDue() }
        return actions + place()
    }

    private mutating func due(_ id: String, at now: ContinuousClock.Instant) -> [Action] {
        guard let session = sessions[id] else { return [] }
        if case .leased(let until) = session.phase, now >= until {
            wait(id)
            return []
        }
        if let end = session.patienceEnd, now >= end {
            if let actions = giveAway(session) { return actions }
            // Nobody else could take it: it is as well where it is.
            let next = now + timing.retry.first
            sessions[id]?.patienceEnd = next
            agenda.add(.session(id), at: next)
        }
        guard let due = session.retry.due, now >= due else { return [] }
        sessions[id]?.retry.begin()
        changed.insert(id)
        switch session.phase {
        case .withdrawing(let worker): return [.withdraw(id, worker, token: session.token)]
        case .waiting: enqueue(id)
        // One that is not complete yet is told as soon as it is.
        case .returning(let worker): if workers[worker]?.isReady == true { resumable.append((id, worker)) }
        case .running(let worker) where workers[worker]?.isDraining == true: leave(id)
        default: break
        }
        return []
    }

    /// Gives a scene whose worker is not complete to another that has room, and takes the room at once: there may be less than scenes
    /// that it could be for.
    /// - Returns: `nil` when it stays where it is.
    private mutating func giveAway(_ session: Session) -> [Action]? {
        guard !isHeld, expected == nil, case .returning(let worker) = session.phase, workers[worker]?.isReady != true,
            let other = best(for: session.record.configuration, without: session.refusedBy.union([worker]))
        else { return nil }
        sessions[session.id]?.retry.begin()
        sessions[session.id]?.patienceEnd = nil
        placementsLeft = max(0, placementsLeft - 1)
        let action = connect(session.id, at: other, from: nil)
        return discard(session.id, at: worker, token: session.token) + [action]
    }

    private mutating func forgetWhatIsNotDue() {
        let (sessions, workers) = (sessions, workers)
        agenda.removeAll { entry in
            switch entry.item {
            case .session(let id):
                let session = sessions[id]
                return session?.phase != .leased(until: entry.time) && session?.retry.due != entry.time
                    && session?.patienceEnd != entry.time
            case .discard(let id, let worker): return workers[worker]?.discards[id]?.retry.due != entry.time
            }
        }
    }

    // MARK: - What has changed

    /// The sessions that are on their way otherwise than before, and the configurations for which there is no room any more,
    /// since this was called last.
    mutating func takeChanges() -> (sessions: Set<String>, exhausted: Set<String>) {
        defer {
            changed = []
            exhausted = []
        }
        return (changed, exhausted)
    }
}
