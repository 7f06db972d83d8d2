import Bus
import CBOR
import Messaging
import DequeModule
import OrderedCollections

/// The state machine that assigns each session's scene to a worker and moves it between workers.
///
/// This value receives events and returns actions. The caller passes the time.
///
///     waiting > connecting > running > freezing > storing > connecting (elsewhere) > running
///        ^ lease expired                  |  a worker that reconnects: returning > resuming > running
///        +---- leased <-------------------+
///
/// A move, a drain, an upgrade and a crash share one path; a crash enters it when the worker's lease expires. Each time
/// a session is given to a worker it gets a new fencing token, larger than all earlier ones. Messages from scenes with
/// older tokens are refused.
///
/// The cost of an event does not grow with the number of sessions and workers: lookups use an index, and work on many
/// sessions is divided into slices (see ``hasMore``).
///
/// Only extensions of this type change its properties.
struct SessionTable {
    /// The number of sessions that are checked for due times, and that are given a worker, in one turn of the loop.
    static let slice = 256
    static let placements = 128

    let timing: Timing
    var sessions = SessionMap<Session>()
    var room = SessionRoom()
    var order = SessionOrder()
    var workers: [WorkerID: AttachedWorker] = [:]
    /// For each configuration, the workers that offer it and the sessions that need one of them.
    var pools: [String: ConfigurationPool] = [:]
    /// How many sessions may still be given a worker before the next ``tick(at:)``.
    var placementsLeft = SessionTable.placements
    /// Configurations for which room has become available, or whose sessions need a worker.
    var pending: Set<String> = []
    /// Sessions whose suspended scenes are ready to be resumed.
    var resumable: Deque<(session: String, worker: WorkerID)> = []
    /// Sessions of an earlier host whose scenes may still be held by workers, in order.
    var collecting: Deque<String> = []
    /// Sessions from `collecting` whose scenes no worker had reported by ``startUntil``. They wait until ``lateUntil``.
    var late: Deque<String> = []
    /// When leases expire and retries are due.
    var agenda = Agenda()
    /// Processes that were draining when they lost their links, by name: the last thousand.
    var drained: OrderedDictionary<String, ProcessIdentity> = [:]
    var quiet: Set<WorkerID> = []
    var lastToken: UInt64
    var lastStamp: UInt64 = 0
    /// The end of the time in which workers of an earlier host are expected with their scenes.
    var startUntil: MonotonicInstant?
    /// The end of the time in which late workers of an earlier host are expected. It is `nil` after that, and after
    /// ``startUntil`` if no worker has outlived that host.
    var lateUntil: MonotonicInstant?
    /// The latest time to which these two may be extended.
    var lastStartUntil: MonotonicInstant?
    /// The end of the time in which workers of an earlier host may reconnect, including workers without scenes.
    var comingUntil: MonotonicInstant?
    /// Whether a worker has attached with scenes of an earlier host, so that others may follow.
    var hasSeenHeld = false
    /// Workers that the host has started and that are not synchronized yet. Until they are, or the time is over, no
    /// session is placed, because the first worker would get all of them.
    var expected: (workers: Set<String>, until: MonotonicInstant)?
    /// Whether a worker that outlives this host holds scenes.
    var isKeptBeyond = false
    /// Whether placing waits for the store to be marked as in use. Without the mark, if this host were killed, the next
    /// one would not wait for the leases of its workers.
    private(set) var isHeld = false
    var isEnding = false
    var lastPosition: Int64 = 0
    /// The number of sessions whose scene is running.
    var connectedCount = 0
    /// Sessions that have changed since ``takeChanges()`` was called last.
    var changed: Set<String> = []
    /// Sessions whose records have changed since ``takeRecordChanges()`` was called last, other than by a checkpoint.
    var unsaved: Set<String> = []
    /// Sessions that have become more suspect since ``takeRecordChanges()`` was called last.
    var accused: [String] = []
    /// The sessions that may have crashed their workers.
    var suspects: Set<String> = []
    /// The workers that have just shown that they live, so that they may get suspects until the actions that follow have
    /// been performed.
    var signed: Set<WorkerID> = []
    /// The sessions that get no worker because they have crashed several.
    var held: Set<String> = []
    /// The sessions that are suspected because a worker fell silent, by this worker.
    var accusations: [ProcessIdentity: Set<String>] = [:]
    /// Restored sessions that are suspect, until ``begin(expecting:isLaterLife:at:)``.
    var restoredSuspects: [String] = []
    /// Configurations that have run out of room since ``takeChanges()`` was called last, or for which the wait for
    /// workers has ended.
    var exhausted: Set<String> = []

    /// - Parameter epoch: the host's epoch. The tokens of a later epoch are larger than those of an earlier one.
    init(epoch: UInt64, timing: Timing = Timing()) {
        lastToken = Self.lastToken(before: epoch)
        self.timing = timing
    }

    // MARK: - Start and shutdown

    /// Holds back all placements until ``release()``.
    mutating func hold() { isHeld = true }

    mutating func release() -> [Action] {
        isHeld = false
        exhausted.formUnion(pools.keys)
        return place()
    }

    /// Stops placing sessions when the host shuts down.
    mutating func end() { isEnding = true }

    /// Whether no worker holds a scene. Valid after all workers have said goodbye to a host that shuts down.
    var isClean: Bool {
        !isKeptBeyond && sessions.values.allSatisfy { $0.phase == .waiting }
    }

    /// The open sessions, in the order in which they were opened. The cost grows with their number.
    var ordered: [Session] { order.ids.compactMap { sessions[$0] } }

    // MARK: - Sessions

    /// Returns the next session's position in the order.
    mutating func nextPosition() -> Int64 {
        lastPosition += 1
        return lastPosition
    }

    /// - Parameter share: the room that ``takeRoom(for:links:by:)`` has taken for it; `nil` to take it in any case.
    mutating func opened(
        _ record: SessionRecord, links: [CBORRaw], share: SessionRoom.Share? = nil, at now: MonotonicInstant
    ) -> [Action] {
        let session = Session(record: record, links: links, share: share ?? room.add(record, links: links))
        sessions[record.id] = session
        order.insert(session.orderKey)
        changed.insert(record.id)
        enqueue(record.id)
        return place()
    }

    /// Removes a session permanently.
    mutating func closed(_ id: String) -> [Action] {
        guard let session = sessions[id] else { return [] }
        forgetAccusers(of: id)
        var actions: [Action] = []
        for worker in session.phase.workers { actions += discard(id, at: worker, token: session.token) }
        setPhase(.waiting, of: id)
        if let candidate = session.phase.candidate {
            actions += discard(id, at: candidate.worker, token: candidate.token)
        }
        room.giveBack(session.share)
        sessions[id] = nil
        updateSuspect(id)
        order.remove(session.orderKey)
        let configuration = session.record.configuration
        pending.insert(configuration)
        actions += place()
        tidy(configuration)
        return actions
    }

    // MARK: - Time

    /// When to call ``tick(at:)`` next. An outdated entry may make this earlier than necessary.
    var nextTick: MonotonicInstant? {
        isEnding ? nil : [agenda.next, expected?.until, startUntil ?? lateUntil].compactMap { $0 }.min()
    }

    /// Whether there is work left that did not fit into this turn of the loop.
    var hasMore: Bool {
        guard !isEnding else { return false }
        if startUntil == nil, !collecting.isEmpty || lateUntil == nil && !late.isEmpty { return true }
        return !isHeld && (!resumable.isEmpty || expected == nil && !pending.isEmpty)
    }

    /// Whether to call ``tick(at:)`` in the next turn of the loop.
    var wantsTick: Bool { hasMore || !isEnding && placementsLeft < Self.placements }

    /// Processes what is due: leases that have expired, and retries.
    mutating func tick(at now: MonotonicInstant) -> [Action] {
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

    private mutating func due(_ id: String, at now: MonotonicInstant) -> [Action] {
        guard let session = sessions[id] else { return [] }
        if case .leased(let until) = session.phase, now >= until {
            wait(id)
            return []
        }
        if let end = session.patienceEnd, now >= end {
            if let actions = giveAway(session) { return actions }
            // No other worker has room: keep the scene here and check again later.
            let next = now + timing.retry.first
            sessions[id]?.patienceEnd = next
            agenda.add(.session(id), at: next)
        }
        check(id, at: now)
        guard let due = session.retry.due, now >= due else { return [] }
        sessions[id]?.retry.begin()
        changed.insert(id)
        switch session.phase {
        case .withdrawing(let worker): return [.withdraw(id, worker, token: session.token)]
        case .waiting: enqueue(id)
        // A worker that is not synchronized yet resumes the scene when it is.
        case .returning(let worker): if workers[worker]?.isReady == true { resumable.append((id, worker)) }
        case .running(let worker) where workers[worker]?.isDraining == true: leave(id)
        default: break
        }
        return []
    }

    /// Gives a session whose worker is not synchronized to another worker with room.
    ///
    /// It connects the session at once, which reserves the room: there may be less room than sessions to move.
    /// - Returns: the actions; `nil` when the session stays with its worker.
    private mutating func giveAway(_ session: Session) -> [Action]? {
        guard !isHeld, expected == nil, case .returning(let worker) = session.phase, workers[worker]?.isReady != true,
            let other = best(for: session.record.configuration, without: session.refusedBy.union([worker]))
        else { return nil }
        sessions[session.id]?.retry.begin()
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
                    && session?.patienceEnd != entry.time && session?.watch?.due != entry.time
            case .discard(let id, let worker): return workers[worker]?.discards[id]?.retry.due != entry.time
            }
        }
    }

    // MARK: - Changes

    /// Returns the sessions that have changed, and the configurations that have run out of room, since this was called
    /// last.
    mutating func takeChanges() -> (sessions: Set<String>, exhausted: Set<String>) {
        defer {
            changed = []
            exhausted = []
        }
        return (changed, exhausted)
    }

    /// Returns the sessions whose records have to be written, and those that have become more suspect, since this was
    /// called last.
    mutating func takeRecordChanges() -> (unsaved: Set<String>, accused: [String]) {
        defer {
            unsaved = []
            accused = []
        }
        return (unsaved, accused)
    }
}

extension SceneCommandError {
    static func notOpen(_ id: String) -> SceneCommandError {
        SceneCommandError(
            .unknownSession, "there is no open session '\(id)'; 'scenebus sessions ls' lists them")
    }
}
