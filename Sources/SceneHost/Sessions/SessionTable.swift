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
struct SessionTable {
    typealias WorkerID = UInt64

    /// Where a session is on its way.
    enum Phase: Hashable {
        /// No worker runs it, and none may.
        case waiting
        /// A worker that is not attached may run it until then.
        case leased(until: ContinuousClock.Instant)
        /// A worker that has come back holds its scene, suspended.
        case returning(WorkerID)
        /// That worker has been told to go on with it.
        case resuming(WorkerID)
        /// A worker makes its scene; when it moves, the frozen one is kept until that is done.
        case connecting(WorkerID, from: WorkerID?)
        case running(WorkerID)
        /// Its scene is about to stand still, to move to a worker.
        case freezing(WorkerID, to: WorkerID)
        /// Its scene stands still, and its state is being written.
        case storing(WorkerID, to: WorkerID)
        /// A worker may or may not have made its scene, and is told not to have.
        case withdrawing(WorkerID)

        /// The workers that have something of it.
        var workers: [WorkerID] {
            switch self {
            case .waiting, .leased: []
            case .returning(let worker), .resuming(let worker), .running(let worker), .withdrawing(let worker),
                .freezing(let worker, _), .storing(let worker, _):
                [worker]
            case .connecting(let worker, let from): [worker] + (from.map { [$0] } ?? [])
            }
        }

        /// The worker that runs it, or is about to.
        var worker: WorkerID? { workers.first }
    }

    struct Session {
        var record: SessionRecord
        fileprivate(set) var phase = Phase.waiting
        /// What its next scene opens.
        var links: [DeepLink] = []
        var retry = Retry()
        /// A worker went while it made the scene: perhaps it was the scene that ended it, and would end the next one too.
        var lostItsWorker = false
        /// Workers that cannot read its state.
        var refusedBy: Set<WorkerID> = []
        /// Why it has no scene.
        var problem = "no worker has taken it yet"
        /// The newest suspended scene that has been seen while a new host still waits for old leases to end.
        fileprivate var candidate: (worker: WorkerID, token: UInt64)?

        var id: String { record.id }
        var token: UInt64 { record.token }
    }

    struct Worker {
        let id: WorkerID
        let name: String
        let offers: Set<String>
        let capacity: Int
        /// Its copy of the container is complete.
        var isReady = false
        /// It gets no more sessions, and gives up those that it has.
        var isDraining = false
        /// It has not been heard for longer than between two heartbeats: it may be cut off.
        fileprivate(set) var isQuiet = false
        /// The sessions of which it has something.
        fileprivate(set) var sessions: Set<String> = []
        fileprivate var connecting = 0

        var room: Int { capacity - sessions.count }

        /// Whether it can be given one more.
        var takesMore: Bool { isReady && !isDraining && !isQuiet && room > 0 }
    }

    enum Action: Hashable {
        /// Make the scene, then say ``SessionTable/connected(_:token:)`` or ``SessionTable/connectFailed``.
        case connect(String, WorkerID, token: UInt64)
        /// Let the suspended scene go on, then say ``SessionTable/connected(_:token:)`` or ``SessionTable/connectFailed``.
        case resume(String, WorkerID, token: UInt64)
        /// Let the scene stand still, then say ``SessionTable/frozen`` or ``SessionTable/freezeFailed``.
        case freeze(String, WorkerID, token: UInt64)
        /// Write the session, then say ``SessionTable/stored(_:)``, whether or not that worked.
        case store(String)
        /// End what there may be of a scene, then say ``SessionTable/withdrawn`` or ``SessionTable/withdrawFailed``.
        case withdraw(String, WorkerID, token: UInt64)
        /// End a scene that is no longer the session's: one whose token is not larger than this.
        case discard(String, WorkerID, token: UInt64)
    }

    struct Timing {
        var retry = Retry.Timing(first: .seconds(1), maximum: .seconds(30))
        /// How long a worker that the host has lost sight of may go on: two heartbeats, and a margin for the clocks.
        var lease = Duration.milliseconds(2500)
    }

    /// Scenes that one worker makes at a time: the others wait in the host, where they can still go elsewhere.
    private static let maximumConnecting = 16
    /// Scenes that leave a draining worker at a time.
    private static let maximumDraining = 4

    let timing: Timing
    private(set) var sessions: [String: Session] = [:]
    private(set) var workers: [WorkerID: Worker] = [:]
    /// Sessions that wait for a worker, by configuration; some may not wait any more.
    private var queues: [String: Deque<String>] = [:]
    /// Sessions that are tried again after a wait.
    private var failing: Set<String> = []
    private var draining: Set<WorkerID> = []
    private var quiet: Set<WorkerID> = []
    private var lastToken: UInt64
    /// Until then an earlier host's workers may still run scenes.
    private var startUntil: ContinuousClock.Instant?
    /// Workers that the host has started, and that have not come yet; until they have, or the time is over, nothing is placed: the
    /// first one would get everything.
    private var expected: (workers: Set<String>, until: ContinuousClock.Instant)?
    private var isEnding = false
    private var lastPosition: Int64 = 0
    /// When there is something to do next; may be earlier than the first session's.
    private(set) var nextTick: ContinuousClock.Instant?

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
        let discards = session.phase.workers.map { Action.discard(id, $0, token: session.token) }
        setPhase(.waiting, of: id)
        sessions[id] = nil
        failing.remove(id)
        return discards + schedule(session.record.configuration)
    }

    /// Keeps the state of a session's scene.
    /// - Returns: whether it is another than before.
    /// - Throws: ``SceneCommandError`` when the sender may not speak for the session.
    mutating func checkpoint(_ id: String, state: UserActivity, token: UInt64) throws -> Bool {
        guard let session = sessions[id] else { throw SceneCommandError.notOpen(id) }
        guard token == session.token else {
            throw SceneCommandError(code: "staleToken", "session '\(id)' lives elsewhere by now")
        }
        guard session.record.state != state else { return false }
        sessions[id]?.record.state = state
        return true
    }

    // MARK: - Workers

    /// A worker has attached.
    /// - Parameter held: the scenes that it has kept, suspended.
    mutating func attached(
        _ id: WorkerID, name: String, offers: Set<String>, capacity: Int, held: [HeldScene],
        at now: ContinuousClock.Instant
    ) -> [Action] {
        workers[id] = Worker(id: id, name: name, offers: offers, capacity: capacity)
        var actions: [Action] = []
        for scene in held {
            // A token that no host has given would be the last there is: none is larger than the largest number.
            guard scene.token <= lastToken, let session = sessions[scene.session], scene.token >= session.token else {
                actions.append(.discard(scene.session, id, token: scene.token))
                continue
            }
            switch session.phase {
            case .leased where startUntil != nil:
                // Another may hold a newer one: the newest goes on when all old leases are over.
                if let candidate = session.candidate, candidate.token >= scene.token {
                    actions.append(.discard(scene.session, id, token: scene.token))
                } else {
                    if let candidate = session.candidate {
                        actions.append(.discard(scene.session, candidate.worker, token: candidate.token))
                    }
                    sessions[scene.session]?.candidate = (id, scene.token)
                }
            case .waiting, .leased:
                sessions[scene.session]?.record.token = scene.token
                setPhase(.returning(id), of: scene.session)
            default:
                actions.append(.discard(scene.session, id, token: scene.token))
            }
        }
        return actions
    }

    /// A worker's copy of the container is complete: it can run scenes.
    mutating func synchronized(_ id: WorkerID, at now: ContinuousClock.Instant) -> [Action] {
        guard let worker = workers[id], !worker.isReady else { return [] }
        workers[id]?.isReady = true
        expected?.workers.remove(worker.name)
        if expected?.workers.isEmpty == true { expected = nil }
        var actions: [Action] = []
        for session in worker.sessions.sorted() where sessions[session]?.phase == .returning(id) {
            actions.append(resume(session, at: id))
        }
        // What could not be placed may be now; what has cost a worker waits for its time.
        for session in failing.sorted() {
            guard let value = sessions[session], value.phase == .waiting, !value.lostItsWorker else { continue }
            sessions[session]?.retry.begin()
            failing.remove(session)
            enqueue(session)
        }
        return actions + queues.keys.sorted().flatMap { schedule($0) } + drainAll()
    }

    /// A worker is gone.
    /// - Parameter isOver: it runs nothing any more: its process has ended, it said goodbye, or its lease is over.
    mutating func detached(_ id: WorkerID, reason: String, isOver: Bool, at now: ContinuousClock.Instant) -> [Action] {
        guard let worker = workers[id] else { return [] }
        var actions: [Action] = []
        for session in worker.sessions.sorted() {
            guard let phase = sessions[session]?.phase else { continue }
            sessions[session]?.problem = "its worker \(worker.name) is gone: \(reason)"
            sessions[session]?.refusedBy.remove(id)
            switch phase {
            case .connecting(let to, let from?) where to == id && isOver && workers[from] != nil:
                // The frozen scene is still there: it goes on where it was.
                actions.append(resume(session, at: from))
                continue
            case .connecting(let to, let from) where from == id && to != id:
                // The frozen scene is gone; the new one is on its way.
                setPhase(.connecting(to, from: nil), of: session)
                continue
            case .connecting(_, let from?):
                actions.append(.discard(session, from, token: sessions[session]?.token ?? 0))
            default: break
            }
            guard isOver else {
                setPhase(.leased(until: now + timing.lease), of: session)
                wake(at: now + timing.lease)
                continue
            }
            setPhase(.waiting, of: session)
            if case .connecting = phase {
                sessions[session]?.lostItsWorker = true
                fail(session, at: now)
            } else {
                enqueue(session)
            }
        }
        for (session, value) in sessions where value.candidate?.worker == id { sessions[session]?.candidate = nil }
        workers[id] = nil
        draining.remove(id)
        return actions + worker.offers.sorted().flatMap { schedule($0) }
    }

    /// Which workers are quiet now. They get no scenes until they are heard: to wait for those that they would not make costs more
    /// than to place them elsewhere, or a moment later.
    mutating func quiet(_ ids: Set<WorkerID>) -> [Action] {
        guard ids != quiet else { return [] }
        let heard = quiet.subtracting(ids)
        quiet = ids
        for id in ids { workers[id]?.isQuiet = true }
        for id in heard { workers[id]?.isQuiet = false }
        let offers = heard.reduce(into: Set<String>()) { $0.formUnion(workers[$1]?.offers ?? []) }
        return offers.sorted().flatMap { schedule($0) } + (heard.isEmpty ? [] : drainAll())
    }

    // MARK: - The way

    private mutating func resume(_ id: String, at worker: WorkerID) -> Action {
        let token = nextToken(for: id)
        setPhase(.resuming(worker), of: id)
        return .resume(id, worker, token: token)
    }

    /// A worker has made the scene, or goes on with it.
    mutating func connected(_ id: String, token: UInt64) -> [Action] {
        guard let session = sessions[id], session.token == token else { return [] }
        var actions: [Action] = []
        switch session.phase {
        case .connecting(let worker, let from):
            workers[worker]?.connecting -= 1
            if let from { actions.append(.discard(id, from, token: token)) }
            setPhase(.running(worker), of: id)
            sessions[id]?.links = []
        case .resuming(let worker): setPhase(.running(worker), of: id)
        default: return []
        }
        sessions[id]?.retry.succeeded()
        sessions[id]?.lostItsWorker = false
        sessions[id]?.refusedBy = []
        return actions + schedule(session.record.configuration) + drainAll()
    }

    /// How a worker failed to make a scene.
    enum ConnectFailure: Hashable {
        /// It may have made it all the same.
        case unknown
        /// It cannot read the session's state; another may.
        case unreadableState
        case refused
    }

    mutating func connectFailed(
        _ id: String, token: UInt64, _ failure: ConnectFailure, reason: String, at now: ContinuousClock.Instant
    ) -> [Action] {
        guard let session = sessions[id], session.token == token else { return [] }
        sessions[id]?.problem = reason
        switch session.phase {
        case .connecting(let worker, let from):
            workers[worker]?.connecting -= 1
            if failure == .unknown {
                // Whatever has become of it must be over before the scene can be anywhere else.
                if let from { sessions[id]?.problem += "; it stays with \(workers[from]?.name ?? "its worker")" }
                setPhase(.withdrawing(worker), of: id)
                let discard = from.map { [Action.discard(id, $0, token: token)] } ?? []
                return discard + [.withdraw(id, worker, token: token)]
            }
            if failure == .unreadableState { sessions[id]?.refusedBy.insert(worker) }
            if let from, workers[from] != nil { return [resume(id, at: from)] + schedule(session.record.configuration) }
            return failed(id, elsewhere: failure == .unreadableState, at: now)
        case .resuming(let worker):
            guard failure == .unknown else { return failed(id, elsewhere: true, at: now) }
            setPhase(.withdrawing(worker), of: id)
            return [.withdraw(id, worker, token: token)]
        default: return []
        }
    }

    /// It is placed anew: at once on another worker, or after a wait.
    private mutating func failed(_ id: String, elsewhere: Bool, at now: ContinuousClock.Instant) -> [Action] {
        setPhase(.waiting, of: id)
        if elsewhere {
            enqueue(id)
        } else {
            fail(id, at: now)
        }
        return sessions[id].map { schedule($0.record.configuration) } ?? []
    }

    private mutating func fail(_ id: String, at now: ContinuousClock.Instant) {
        let retry = timing.retry
        sessions[id]?.retry.failed(at: now, retry)
        failing.insert(id)
        wake(at: sessions[id]?.retry.due)
    }

    /// A worker has nothing of the scene any more.
    mutating func withdrawn(_ id: String, token: UInt64, at now: ContinuousClock.Instant) -> [Action] {
        guard sessions[id]?.token == token, case .withdrawing = sessions[id]?.phase else { return [] }
        return failed(id, elsewhere: false, at: now)
    }

    /// A worker has not said that it has nothing of the scene: it is asked again, as long as it is attached.
    mutating func withdrawFailed(_ id: String, token: UInt64, at now: ContinuousClock.Instant) {
        guard sessions[id]?.token == token, case .withdrawing = sessions[id]?.phase else { return }
        fail(id, at: now)
    }

    // MARK: - Moving

    /// Moves a session's scene.
    /// - Parameter worker: where to; `nil` for the worker with the most room.
    /// - Throws: ``SceneCommandError`` when it cannot be moved now.
    mutating func move(_ id: String, to worker: WorkerID?) throws(SceneCommandError) -> [Action] {
        guard let session = sessions[id] else { throw SceneCommandError.notOpen(id) }
        guard case .running(let from) = session.phase else {
            throw SceneCommandError(code: "notConnected", "session '\(id)' does not run now: \(session.summary)")
        }
        guard worker != from else {
            throw SceneCommandError(code: "refused", "session '\(id)' is with \(workers[from]?.name ?? "it") already")
        }
        let configuration = session.record.configuration
        let target: Worker?
        if let worker, let there = workers[worker] {
            guard there.offers.contains(configuration) else {
                throw SceneCommandError(code: "refused", "\(there.name) does not offer '\(configuration)'")
            }
            guard there.takesMore else {
                let reason =
                    there.isDraining ? "is being drained" : there.isQuiet ? "is not heard now" : "has no room"
                throw SceneCommandError(code: "refused", "\(there.name) \(reason)")
            }
            target = there
        } else {
            target = best(for: configuration, without: session.refusedBy.union([from]))
        }
        guard let target else {
            throw SceneCommandError(code: "refused", "no other worker that offers '\(configuration)' has room")
        }
        setPhase(.freezing(from, to: target.id), of: id)
        return [.freeze(id, from, token: session.token)]
    }

    /// A scene stands still, with this state.
    mutating func frozen(_ id: String, token: UInt64, state: UserActivity?) -> [Action] {
        guard let session = sessions[id], session.token == token, case .freezing(let from, let to) = session.phase
        else {
            return []
        }
        if let state { sessions[id]?.record.state = state }
        setPhase(.storing(from, to: to), of: id)
        return [.store(id)]
    }

    /// A scene could not be made to stand still, or nobody knows: it goes on where it is.
    mutating func freezeFailed(_ id: String, token: UInt64, reason: String) -> [Action] {
        guard let session = sessions[id], session.token == token, case .freezing(let from, _) = session.phase else {
            return []
        }
        sessions[id]?.problem = reason
        return [resume(id, at: from)]
    }

    /// A session has been written, or could not be.
    mutating func stored(_ id: String) -> [Action] {
        guard let session = sessions[id], case .storing(let from, let to) = session.phase else { return [] }
        let other = workers[to].flatMap { $0.takesMore ? $0 : nil }
        guard let target = other ?? best(for: session.record.configuration, without: [from]) else {
            return [resume(id, at: from)]
        }
        return [connect(id, at: target.id, from: from)]
    }

    /// A worker gets no more sessions, and those that it has move elsewhere, as far as there is room.
    mutating func drain(_ id: WorkerID) -> [Action] {
        workers[id]?.isDraining = true
        draining.insert(id)
        return drainAll()
    }

    /// A worker gets sessions again.
    mutating func undrain(_ id: WorkerID) -> [Action] {
        workers[id]?.isDraining = false
        draining.remove(id)
        return (workers[id]?.offers.sorted() ?? []).flatMap { schedule($0) } + drainAll()
    }

    private mutating func drainAll() -> [Action] {
        var actions: [Action] = []
        for id in draining.sorted() {
            guard let worker = workers[id] else { continue }
            var moving = worker.sessions.count {
                sessions[$0].map { if case .running = $0.phase { false } else { true } } ?? false
            }
            for session in worker.sessions.sorted() where moving < Self.maximumDraining {
                guard let freeze = try? move(session, to: nil) else { continue }
                actions += freeze
                moving += 1
            }
        }
        return actions
    }

    // MARK: - Placing

    private mutating func enqueue(_ id: String) {
        guard let session = sessions[id] else { return }
        queues[session.record.configuration, default: []].append(id)
    }

    /// Gives sessions that wait for a worker one, as far as there is room.
    private mutating func schedule(_ configuration: String) -> [Action] {
        guard !isEnding, expected == nil, var queue = queues[configuration] else { return [] }
        var actions: [Action] = []
        var left: [String] = []
        while let id = queue.popFirst() {
            guard let session = sessions[id], session.phase == .waiting, session.retry.due == nil else { continue }
            if let worker = best(for: configuration, without: session.refusedBy) {
                actions.append(connect(id, at: worker.id, from: nil))
            } else if session.refusedBy.isEmpty {
                sessions[id]?.problem = "no worker that offers '\(configuration)' has room"
                queue.prepend(id)
                break
            } else {
                left.append(id)
            }
        }
        queue.append(contentsOf: left)
        queues[configuration] = queue
        return actions
    }

    /// The worker that offers a configuration and has the most room.
    private func best(for configuration: String, without excluded: Set<WorkerID>) -> Worker? {
        var best: Worker?
        for worker in workers.values {
            guard worker.takesMore, worker.connecting < Self.maximumConnecting, worker.offers.contains(configuration),
                !excluded.contains(worker.id)
            else { continue }
            if let known = best, (known.room, worker.id) > (worker.room, known.id) { continue }
            best = worker
        }
        return best
    }

    private mutating func connect(_ id: String, at worker: WorkerID, from: WorkerID?) -> Action {
        let token = nextToken(for: id)
        setPhase(.connecting(worker, from: from), of: id)
        workers[worker]?.connecting += 1
        return .connect(id, worker, token: token)
    }

    private mutating func nextToken(for id: String) -> UInt64 {
        lastToken += 1
        sessions[id]?.record.token = lastToken
        return lastToken
    }

    private mutating func setPhase(_ phase: Phase, of id: String) {
        guard let old = sessions[id]?.phase else { return }
        for worker in old.workers { workers[worker]?.sessions.remove(id) }
        for worker in phase.workers { workers[worker]?.sessions.insert(id) }
        sessions[id]?.phase = phase
    }

    // MARK: - Time

    private mutating func wake(at time: ContinuousClock.Instant?) {
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
        return actions + configurations.sorted().flatMap { schedule($0) }
    }
}

extension SessionTable.Session {
    /// Where the session is on its way, in a word; see ``SessionStatus/state``.
    var state: String {
        switch phase {
        case .waiting: "waiting"
        case .leased: "cut off"
        case .returning, .resuming: "resuming"
        case .connecting(_, nil): "connecting"
        case .connecting, .freezing, .storing: "moving"
        case .running: "running"
        case .withdrawing: "withdrawing"
        }
    }

    /// Why the session has no scene; `nil` when it has one.
    var trouble: String? {
        switch phase {
        case .running: nil
        case .waiting, .leased, .withdrawing: problem
        case .returning, .resuming: "its worker has come back with it"
        case .connecting(_, nil): "its scene is being made"
        case .connecting, .freezing, .storing: "it moves to another worker"
        }
    }

    var summary: String { trouble ?? state }
}

extension SceneCommandError {
    static func notOpen(_ id: String) -> SceneCommandError {
        SceneCommandError(
            code: "unknownSession", "there is no open session '\(id)'; 'scenebus sessions ls' lists them")
    }
}
