import DequeModule
import Store

extension SessionTable {
    /// Scenes that one worker makes at a time: the others wait in the host, where they can still go elsewhere.
    private static let maximumConnecting = 16

    mutating func enqueue(_ id: String) {
        guard let session = sessions[id] else { return }
        queues[session.record.configuration, default: []].append(id)
    }

    /// Gives sessions that wait for a worker one, as far as there is room.
    mutating func schedule(_ configuration: String) -> [Action] {
        guard !isEnding, !isHeld, expected == nil, var queue = queues[configuration] else { return [] }
        var actions: [Action] = []
        var left: [String] = []
        while let id = queue.popFirst() {
            guard let session = sessions[id], session.phase == .waiting, session.retry.due == nil else { continue }
            if let worker = best(for: configuration, without: session.refusedBy) {
                actions.append(connect(id, at: worker.id, from: nil))
            } else if session.refusedBy.isEmpty {
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

    mutating func schedule(_ configurations: Set<String>) -> [Action] {
        configurations.sorted().flatMap { schedule($0) }
    }

    /// Gives sessions that wait for the room that there is now, of this configuration and of what else freed workers offer, one.
    mutating func scheduleFreed(and configuration: String) -> [Action] {
        let names = freed.reduce(into: [configuration] as Set) { $0.formUnion(workers[$1]?.offers ?? []) }
        freed = []
        return schedule(names)
    }

    /// The worker that offers a configuration and has the most room.
    func best(for configuration: String, without excluded: Set<WorkerID>) -> Worker? {
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

    mutating func connect(_ id: String, at worker: WorkerID, from: WorkerID?) -> Action {
        let token = nextToken(for: id)
        sessions[id]?.kept = nil
        sessions[id]?.isRefused = false
        setPhase(.connecting(worker, from: from), of: id)
        return .connect(id, worker, token: token)
    }

    mutating func resume(_ id: String, at worker: WorkerID) -> Action {
        if let process = workers[worker]?.process, let session = sessions[id], session.kept?.process != process {
            sessions[id]?.kept = (process, session.token)
        }
        let token = nextToken(for: id)
        sessions[id]?.isRefused = false
        setPhase(.resuming(worker), of: id)
        return .resume(id, worker, token: token)
    }

    private mutating func nextToken(for id: String) -> UInt64 {
        lastToken += 1
        sessions[id]?.record.token = lastToken
        return lastToken
    }

    mutating func setPhase(_ phase: Phase, of id: String) {
        guard let old = sessions[id]?.phase else { return }
        for worker in old.workers { workers[worker]?.sessions.remove(id) }
        freed.formUnion(old.workers)
        for worker in phase.workers { workers[worker]?.sessions.insert(id) }
        if case .connecting(let worker, _) = old { workers[worker]?.connecting -= 1 }
        if case .connecting(let worker, _) = phase { workers[worker]?.connecting += 1 }
        sessions[id]?.phase = phase
    }

    // MARK: - What came of it

    /// A worker has made the scene, or goes on with it.
    mutating func connected(_ id: String, token: UInt64) -> [Action] {
        guard let session = sessions[id], session.token == token else { return [] }
        var actions: [Action] = []
        switch session.phase {
        case .connecting(let worker, let from):
            if let from { actions.append(.discard(id, from, token: token)) }
            setPhase(.running(worker), of: id)
            sessions[id]?.links = []
            sessions[id]?.retry.succeeded()
            sessions[id]?.refusedBy = []
        // Who goes on where he was has learned nothing of those that refused him.
        case .resuming(let worker): setPhase(.running(worker), of: id)
        default: return []
        }
        sessions[id]?.lostItsWorker = false
        sessions[id]?.kept = nil
        return actions + scheduleFreed(and: session.record.configuration) + drainAll()
    }

    /// How a worker failed to make a scene.
    enum ConnectFailure: Hashable {
        /// It may have made it all the same.
        case unknown
        /// It cannot read the session's state; another may.
        case unreadableState
        case refused
        /// It was not reached.
        case notSent
    }

    mutating func connectFailed(
        _ id: String, token: UInt64, _ failure: ConnectFailure, reason: String, at now: ContinuousClock.Instant
    ) -> [Action] {
        guard let session = sessions[id], session.token == token else { return [] }
        sessions[id]?.problem = reason
        switch session.phase {
        case .connecting(let worker, let from):
            if failure == .unknown {
                // Whatever has become of it must be over before the scene can be anywhere else.
                setPhase(.withdrawing(worker), of: id)
                let discard = from.map { [Action.discard(id, $0, token: token)] } ?? []
                return discard + [.withdraw(id, worker, token: token)]
            }
            sessions[id]?.isRefused = failure != .notSent
            if failure == .unreadableState { sessions[id]?.refusedBy.insert(worker) }
            if let from, workers[from] != nil {
                // The next try to move it waits: those that can be moved go first, and nothing turns in a circle.
                fail(id, at: now)
                return [resume(id, at: from)] + scheduleFreed(and: session.record.configuration)
            }
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
            sessions[id]?.retry.begin()
            failing.remove(id)
            enqueue(id)
        } else {
            fail(id, at: now)
        }
        return sessions[id].map { scheduleFreed(and: $0.record.configuration) } ?? []
    }

    /// Tries again after a while that does not grow: what failed does not tell of the next time.
    mutating func pause(_ id: String, at now: ContinuousClock.Instant) {
        let retry = timing.retry
        sessions[id]?.retry.pause(at: now, retry)
        failing.insert(id)
        wake(at: sessions[id]?.retry.due)
    }

    mutating func fail(_ id: String, at now: ContinuousClock.Instant) {
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
}
