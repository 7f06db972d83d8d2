import Bus
import DequeModule

extension SessionTable {
    /// Handles a worker that has attached.
    /// - Parameters:
    ///   - held: the suspended scenes that it holds.
    ///   - endsWithHost: whether the worker ends with the host, because it is in the host's process or was started by
    ///     it.
    mutating func attached(
        _ id: WorkerID, _ process: ProcessIdentity, offers: Set<String>, capacity: Int, held: [HeldScene],
        endsWithHost: Bool = false, at now: ContinuousClock.Instant
    ) -> [Action] {
        workers[id] = AttachedWorker(
            id: id, process: process, offers: offers, capacity: capacity, endsWithHost: endsWithHost)
        // A worker that only lost its link stays drained.
        workers[id]?.isDraining = drained.contains(process)
        for configuration in offers { pools[configuration, default: ConfigurationPool()].attached += 1 }
        workerChanged(id)
        if !drained.isEmpty { drained = drained.filter { $0.peer != process.peer } }
        var actions: [Action] = []
        if !held.isEmpty { hasSeenHeld = true }
        for scene in held { actions += reported(scene, by: id, process) }
        return actions
    }

    /// Handles a worker whose copy of the container is complete, so that it can run scenes.
    mutating func synchronized(_ id: WorkerID, at now: ContinuousClock.Instant) -> [Action] {
        guard let worker = workers[id], !worker.isReady else { return [] }
        workers[id]?.isReady = true
        expected?.workers.remove(worker.name)
        if expected?.workers.isEmpty == true { endExpecting() }
        for session in worker.sessions.sorted() where sessions[session]?.phase == .returning(id) {
            resumable.append((session, id))
        }
        for configuration in worker.offers {
            guard let pool = pools[configuration] else { continue }
            pools[configuration]?.failingLeft = pool.failing.count
            pools[configuration]?.choosyLeft = pool.choosy.count
            pending.insert(configuration)
        }
        workerChanged(id)
        return place()
    }

    /// Ends the wait for the workers that the host has started.
    mutating func endExpecting() {
        expected = nil
        exhausted.formUnion(pools.keys)
    }

    /// Handles a worker that has detached.
    /// - Parameters:
    ///   - isOver: whether it no longer runs scenes: its process has ended, it said goodbye, or its lease has expired.
    ///   - mayComeBack: whether its process may still exist.
    mutating func detached(
        _ id: WorkerID, reason: String, isOver: Bool, mayComeBack: Bool = true, at now: ContinuousClock.Instant
    ) -> [Action] {
        guard let worker = workers.removeValue(forKey: id) else { return [] }
        // The worker keeps its scenes, suspended, for the next host.
        if isEnding, !worker.endsWithHost, !worker.sessions.isEmpty || !worker.candidates.isEmpty {
            isKeptBeyond = true
        }
        for configuration in worker.offers {
            pools[configuration]?.attached -= 1
            count(worker.standing, .none, of: configuration)
        }
        for session in worker.parked { sessions[session]?.isLeaving = false }
        for session in worker.candidates { setPhase(.collecting(candidate: nil), of: session) }
        if worker.isDraining, mayComeBack { drained.insert(worker.process) }
        var actions: [Action] = []
        for session in worker.sessions.sorted() {
            guard let phase = sessions[session]?.phase else { continue }
            sessions[session]?.problem = "its worker \(worker.name) is gone: \(reason)"
            sessions[session]?.refusedBy.remove(id)
            switch phase {
            case .connecting(let to, let from?) where to == id && isOver && workers[from] != nil:
                // The frozen scene still exists, so it resumes in place. Delay the next move: the scene may have
                // crashed the worker.
                fail(session, at: now)
                actions.append(resume(session, at: from))
                continue
            case .connecting(let to, let from) where from == id && to != id:
                // The frozen scene is gone; the new one is being made.
                setPhase(.connecting(to, from: nil), of: session)
                continue
            case .connecting(_, let from?):
                actions += discard(session, at: from, token: sessions[session]?.token ?? 0)
            default: break
            }
            guard isOver else {
                setPhase(.leased(until: now + timing.lease), of: session)
                if sessions[session]?.patienceEnd == nil {
                    let end = now + timing.patience
                    sessions[session]?.patienceEnd = end
                    agenda.add(.session(session), at: end)
                }
                agenda.add(.session(session), at: now + timing.lease)
                continue
            }
            if case .connecting = phase {
                setPhase(.waiting, of: session)
                sessions[session]?.lostItsWorker = true
                fail(session, at: now)
            } else {
                wait(session)
            }
        }
        actions += place()
        for configuration in worker.offers { tidy(configuration) }
        return actions
    }

    /// Updates the set of silent workers, which get no scenes until they respond again.
    ///
    /// Waiting for a worker that may be disconnected costs more than placing a scene elsewhere, or a moment later.
    mutating func quiet(_ ids: Set<WorkerID>) -> [Action] {
        guard ids != quiet else { return [] }
        let (heard, unheard) = (quiet.subtracting(ids), ids.subtracting(quiet))
        quiet = ids
        for id in unheard where workers[id] != nil {
            workers[id]?.isQuiet = true
            workerChanged(id)
        }
        for id in heard where workers[id] != nil {
            workers[id]?.isQuiet = false
            workerChanged(id)
        }
        return place()
    }

    // MARK: - Indexes

    /// Updates the pools after a worker has changed.
    mutating func workerChanged(_ id: WorkerID) {
        guard let worker = workers[id] else { return }
        let room = worker.room
        let new = AttachedWorker.Standing(
            isOpen: !worker.isDraining, isRoomy: !worker.isDraining && room > 0,
            opening: worker.takesMore && worker.starting < Self.maximumStarting ? room : nil)
        let old = worker.standing
        guard new != old else { return }
        workers[id]?.standing = new
        lastStamp += 1
        workers[id]?.stamp = lastStamp
        for configuration in worker.offers {
            count(old, new, of: configuration)
            guard let opening = new.opening else { continue }
            let entry = WorkersByRoom.Opening(room: opening, worker: id, stamp: lastStamp)
            let attached = pools[configuration]?.attached ?? 0
            pools[configuration]?.workers.add(entry, among: workers, of: attached)
            guard opening > old.opening ?? 0, let pool = pools[configuration] else { continue }
            pools[configuration]?.choosyLeft = pool.choosy.count
            pending.insert(configuration)
        }
    }

    private mutating func count(
        _ old: AttachedWorker.Standing, _ new: AttachedWorker.Standing, of configuration: String
    ) {
        pools[configuration]?.open += (new.isOpen ? 1 : 0) - (old.isOpen ? 1 : 0)
        pools[configuration]?.roomy += (new.isRoomy ? 1 : 0) - (old.isRoomy ? 1 : 0)
        if old.isRoomy, !new.isRoomy, pools[configuration]?.roomy == 0 { exhausted.insert(configuration) }
    }

    /// Sets a session's phase, and updates its workers' sets and counts.
    mutating func setPhase(_ phase: Phase, of id: String) {
        guard let old = sessions[id]?.phase else { return }
        sessions[id]?.phase = phase
        if !phase.isWaitingForItsWorker { sessions[id]?.patienceEnd = nil }
        changed.insert(id)
        setCandidate(from: old.candidate, to: phase.candidate, of: id)
        let (before, after) = (old.workers, phase.workers)
        for worker in before where !after.contains(worker) { workers[worker]?.sessions.remove(id) }
        for worker in after where !before.contains(worker) { workers[worker]?.sessions.insert(id) }
        if case .running(let worker) = old {
            workers[worker]?.running -= 1
            connectedCount -= 1
        }
        if case .running(let worker) = phase {
            workers[worker]?.running += 1
            connectedCount += 1
        }
        if let worker = old.starter { workers[worker]?.starting -= 1 }
        if let worker = phase.starter { workers[worker]?.starting += 1 }
        for worker in before + after.filter({ !before.contains($0) }) {
            workerChanged(worker)
            giveNext(to: worker)
        }
    }

    /// Continues with the next parked sessions of a worker: one to resume, and one to leave it.
    private mutating func giveNext(to id: WorkerID) {
        while workers[id]?.starting ?? .max < Self.maximumStarting, let session = workers[id]?.returners.popFirst() {
            guard sessions[session]?.phase == .returning(id) else { continue }
            resumable.append((session, id))
            break
        }
        guard workers[id]?.parked.isEmpty == false else { return }
        while workers[id]?.moving ?? .max < Self.maximumDraining, let session = workers[id]?.parked.popFirst() {
            guard mayLeave(session) == id, let configuration = sessions[session]?.record.configuration else {
                sessions[session]?.isLeaving = false
                continue
            }
            pools[configuration, default: ConfigurationPool()].leaving.prepend(session)
            pending.insert(configuration)
            break
        }
    }

    /// Moves a session from the candidates of one worker to those of another.
    private mutating func setCandidate(from old: Candidate?, to new: Candidate?, of id: String) {
        guard old != new else { return }
        if let old {
            workers[old.worker]?.candidates.remove(id)
            workerChanged(old.worker)
        }
        if let new {
            workers[new.worker]?.candidates.insert(id)
            workerChanged(new.worker)
        }
    }
}
