import DequeModule

extension SessionTable {
    /// The maximum number of scenes that one worker makes or resumes at the same time. The other sessions wait in the
    /// host, where they can still be given to another worker.
    static let maximumStarting = 16

    // MARK: - Waiting

    /// Puts a session into the queue for a worker.
    mutating func wait(_ id: String) {
        setPhase(.waiting, of: id)
        sessions[id]?.retry.begin()
        enqueue(id)
    }

    mutating func enqueue(_ id: String) {
        guard let session = sessions[id], !session.isHeld else { return }
        let configuration = session.record.configuration
        pending.insert(configuration)
        guard !session.isQueued else {
            // It may be among those that some workers could not accept, from an earlier wait.
            return checkChoosyAgain(of: configuration)
        }
        sessions[id]?.isQueued = true
        pools[configuration, default: ConfigurationPool()].waiting.append(id)
    }

    /// Lets the sessions that some workers could not accept be checked again.
    mutating func checkChoosyAgain(of configuration: String) {
        guard let pool = pools[configuration] else { return }
        pools[configuration]?.choosyLeft = pool.choosy.count
        pending.insert(configuration)
    }

    private func isWaiting(_ id: String) -> Bool {
        guard let session = sessions[id] else { return false }
        return session.phase == .waiting && session.retry.due == nil && !session.isHeld
    }

    /// Removes the pool of a configuration that no worker offers and no session needs.
    mutating func tidy(_ configuration: String) {
        let open = sessions
        pools[configuration]?.tidy { open[$0] != nil }
        if pools[configuration]?.isEmpty == true { pools[configuration] = nil }
    }

    // MARK: - Placing

    /// Resumes suspended scenes and gives waiting sessions to workers with room.
    ///
    /// It places at most ``placements`` sessions between two calls of ``tick(at:)``, however many events there are.
    mutating func place() -> [Action] {
        guard !isEnding, !isHeld else { return [] }
        var actions: [Action] = []
        var left = placementsLeft
        defer { placementsLeft = max(0, placementsLeft - actions.count) }
        while left > 0, let next = resumable.popFirst() {
            left -= 1
            guard sessions[next.session]?.phase == .returning(next.worker),
                let starting = workers[next.worker]?.starting
            else { continue }
            if starting < Self.maximumStarting {
                actions.append(resume(next.session, at: next.worker))
            } else {
                workers[next.worker]?.returners.append(next.session)
            }
        }
        guard expected == nil else { return actions }
        for configuration in pending.sorted() {
            guard left > 0 else { break }
            // Remove it first: placing may insert the configuration again.
            pending.remove(configuration)
            let isDone =
                retryFailing(of: configuration, &left)
                && placeWaiting(of: configuration, &left, &actions)
                && placeLeaving(of: configuration, &left, &actions)
                && placeChoosy(of: configuration, &left, &actions)
            if !isDone { pending.insert(configuration) }
        }
        return actions
    }

    /// Enqueues failed sessions before their retries are due, because another worker has attached, which may accept
    /// what others have refused.
    ///
    /// A session whose scene may have crashed its worker still waits until its retry is due.
    /// - Returns: whether all such sessions have been checked.
    private mutating func retryFailing(of configuration: String, _ left: inout Int) -> Bool {
        while pools[configuration]?.failingLeft ?? 0 > 0, let id = pools[configuration]?.failing.first {
            guard left > 0 else { return false }
            left -= 1
            _ = pools[configuration]?.failing.popFirst()
            pools[configuration]?.failingLeft -= 1
            guard let session = sessions[id], session.phase == .waiting, session.retry.due != nil else {
                sessions[id]?.isFailing = false
                continue
            }
            if session.lostItsWorker {
                pools[configuration]?.failing.append(id)
                continue
            }
            sessions[id]?.isFailing = false
            sessions[id]?.retry.begin()
            changed.insert(id)
            enqueue(id)
        }
        return true
    }

    /// Gives waiting sessions to workers with room.
    /// - Returns: whether all sessions that could be placed have been checked.
    private mutating func placeWaiting(of configuration: String, _ left: inout Int, _ actions: inout [Action]) -> Bool {
        while let id = pools[configuration]?.waiting.first {
            guard left > 0 else { return false }
            left -= 1
            guard isWaiting(id), let session = sessions[id] else {
                takeFirst(of: configuration)
                continue
            }
            let excluded = excluded(for: session)
            if let worker = best(for: configuration, without: excluded) {
                takeFirst(of: configuration)
                actions.append(connect(id, at: worker, from: nil))
            } else if excluded.isEmpty {
                return true
            } else if let id = pools[configuration]?.waiting.popFirst() {
                pools[configuration]?.choosy.append(id)
            }
        }
        return true
    }

    private mutating func takeFirst(of configuration: String) {
        if let id = pools[configuration]?.waiting.popFirst() { sessions[id]?.isQueued = false }
    }

    /// Moves sessions away from draining workers.
    private mutating func placeLeaving(of configuration: String, _ left: inout Int, _ actions: inout [Action]) -> Bool {
        while let id = pools[configuration]?.leaving.first {
            guard left > 0 else { return false }
            left -= 1
            guard let from = mayLeave(id) else {
                _ = pools[configuration]?.leaving.popFirst()
                sessions[id]?.isLeaving = false
                continue
            }
            guard workers[from]?.moving ?? 0 < Self.maximumDraining else {
                // The worker already moves its maximum of sessions; `giveNext` continues with this one.
                _ = pools[configuration]?.leaving.popFirst()
                workers[from]?.parked.append(id)
                continue
            }
            guard let session = sessions[id] else { return true }
            if let worker = target(for: session) {
                _ = pools[configuration]?.leaving.popFirst()
                sessions[id]?.isLeaving = false
                actions += freeze(id, for: Move(from: from, to: worker, allowsOthers: true))
            } else if session.refusedBy.isEmpty, !session.isSuspect {
                return true
            } else {
                _ = pools[configuration]?.leaving.popFirst()
                pools[configuration]?.choosy.append(id)
            }
        }
        return true
    }

    /// Checks the sessions that some workers cannot accept. Each of them is checked once whenever room becomes
    /// available.
    private mutating func placeChoosy(of configuration: String, _ left: inout Int, _ actions: inout [Action]) -> Bool {
        while pools[configuration]?.choosyLeft ?? 0 > 0, let id = pools[configuration]?.choosy.first {
            guard left > 0 else { return false }
            let refusedBy = sessions[id]?.refusedBy ?? []
            left -= 1 + refusedBy.count / 8
            pools[configuration]?.choosyLeft -= 1
            _ = pools[configuration]?.choosy.popFirst()
            if isWaiting(id), let session = sessions[id] {
                if let worker = best(for: configuration, without: excluded(for: session)) {
                    sessions[id]?.isQueued = false
                    actions.append(connect(id, at: worker, from: nil))
                } else {
                    pools[configuration]?.choosy.append(id)
                }
            } else if let from = mayLeave(id) {
                if workers[from]?.moving ?? 0 >= Self.maximumDraining {
                    workers[from]?.parked.append(id)
                } else if let worker = sessions[id].flatMap({ target(for: $0) }) {
                    sessions[id]?.isLeaving = false
                    actions += freeze(id, for: Move(from: from, to: worker, allowsOthers: true))
                } else {
                    pools[configuration]?.choosy.append(id)
                }
            } else {
                sessions[id]?.isQueued = false
                sessions[id]?.isLeaving = false
            }
        }
        pools[configuration]?.choosyLeft = 0
        return true
    }

    /// Returns the worker to which a session may move now. A suspect is not frozen before its worker has shown that it
    /// lives.
    private mutating func target(for session: Session) -> WorkerID? {
        guard mayAsk(session) else { return nil }
        return best(for: session.record.configuration, without: session.refusedBy)
    }

    /// Returns the worker with the most room among those that offer a configuration.
    mutating func best(for configuration: String, without excluded: Set<WorkerID>) -> WorkerID? {
        pools[configuration]?.workers.first(among: workers, without: excluded)
    }

    mutating func connect(_ id: String, at worker: WorkerID, from: WorkerID?) -> Action {
        // The worker that the session leaves keeps the frozen scene under the current token until the new scene runs.
        let former = sessions[id]?.token ?? 0
        let process = from.flatMap { workers[$0]?.process }
        sessions[id]?.kept = process.map { ($0, former) }
        sessions[id]?.startsAnew = false
        let token = nextToken(for: id)
        sessions[id]?.isRefused = false
        given(id, to: worker)
        setPhase(.connecting(worker, from: from), of: id)
        return .connect(id, worker, token: token)
    }

    mutating func resume(_ id: String, at worker: WorkerID) -> Action {
        if let process = workers[worker]?.process, let session = sessions[id], session.kept?.process != process {
            sessions[id]?.kept = (process, session.token)
        }
        let asks = sessions[id].flatMap { $0.phase.workers.first == worker ? $0.asks : nil }
        let token = nextToken(for: id)
        if let asks { sessions[id]?.asks = asks.beforeResuming }
        sessions[id]?.isRefused = false
        given(id, to: worker)
        setPhase(.resuming(worker), of: id)
        return .resume(id, worker, token: token)
    }

    /// Handles a worker's confirmation that it has made or resumed the scene.
    mutating func connected(_ id: String, token: UInt64) -> [Action] {
        guard let session = sessions[id], session.token == token else { return [] }
        var actions: [Action] = []
        let running: WorkerID
        switch session.phase {
        case .connecting(let worker, let from):
            if let from { actions += discard(id, at: from, token: token) }
            setPhase(.running(worker), of: id)
            if !session.links.isEmpty { keep(links: [], of: id) }
            sessions[id]?.retry.succeeded()
            sessions[id]?.refusedBy = []
            disprove(Moment.connect, of: id)
            sessions[id]?.unreadable = nil
            running = worker
        // Resuming in place says nothing about the workers that refused, so `refusedBy` stays.
        case .resuming(let worker):
            setPhase(.running(worker), of: id)
            sessions[id]?.asks.resumed()
            disprove(Moment.resume, of: id)
            running = worker
        default: return []
        }
        sessions[id]?.lostItsWorker = false
        sessions[id]?.kept = nil
        note(heard: running)
        if workers[running]?.isDraining == true { leave(id) }
        return actions + place()
    }
}
