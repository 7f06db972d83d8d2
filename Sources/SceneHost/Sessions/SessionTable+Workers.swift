import Bus
import DequeModule

extension SessionTable {
    /// A worker has attached.
    /// - Parameters:
    ///   - held: the scenes that it has kept, suspended.
    ///   - endsWithHost: it is part of the host, or the host has started it and ends it.
    mutating func attached(
        _ id: WorkerID, _ process: ProcessIdentity, offers: Set<String>, capacity: Int, held: [HeldScene],
        endsWithHost: Bool = false, at now: ContinuousClock.Instant
    ) -> [Action] {
        workers[id] = AttachedWorker(
            id: id, process: process, offers: offers, capacity: capacity, endsWithHost: endsWithHost)
        // It has lost its link only: what an operator has said of it holds.
        workers[id]?.isDraining = drained.contains(process)
        for configuration in offers { pools[configuration, default: ConfigurationPool()].attached += 1 }
        workerChanged(id)
        if !drained.isEmpty { drained = drained.filter { $0.peer != process.peer } }
        var actions: [Action] = []
        if !held.isEmpty { hasSeenHeld = true }
        for scene in held {
            // A token that no host has given would be the last there is: none is larger than the largest number.
            guard scene.token <= lastToken, let session = sessions[scene.session],
                scene.token >= session.token
                    || session.kept.map({ $0.process == process && scene.token >= $0.token }) == true
            else {
                actions += discard(scene.session, at: id, token: scene.token)
                continue
            }
            switch session.phase {
            case .collecting where startUntil != nil || session.candidate != nil:
                // Another may hold a newer one: the newest goes on when all old leases are over.
                if let candidate = session.candidate, candidate.token >= scene.token {
                    actions += discard(scene.session, at: id, token: scene.token)
                } else {
                    if let candidate = session.candidate {
                        actions += discard(scene.session, at: candidate.worker, token: candidate.token)
                    }
                    setCandidate((id, scene.token), of: scene.session)
                }
            // Nobody has come with it in time: the first that comes late goes on.
            case .waiting, .leased, .collecting:
                sessions[scene.session]?.record.token = max(scene.token, session.token)
                setPhase(.returning(id), of: scene.session)
            default:
                actions += discard(scene.session, at: id, token: scene.token)
            }
        }
        return actions
    }

    /// A worker's copy of the container is complete: it can run scenes.
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

    /// The workers that the host starts are there, or have had their time.
    mutating func endExpecting() {
        expected = nil
        exhausted.formUnion(pools.keys)
    }

    /// A worker is gone.
    /// - Parameters:
    ///   - isOver: it runs nothing any more: its process has ended, it said goodbye, or its lease is over.
    ///   - mayComeBack: its process may be there still.
    mutating func detached(
        _ id: WorkerID, reason: String, isOver: Bool, mayComeBack: Bool = true, at now: ContinuousClock.Instant
    ) -> [Action] {
        guard let worker = workers.removeValue(forKey: id) else { return [] }
        // It keeps its scenes, suspended, for the next host.
        if isEnding, !worker.endsWithHost, !worker.sessions.isEmpty || !worker.candidates.isEmpty {
            isKeptBeyond = true
        }
        for configuration in worker.offers {
            pools[configuration]?.attached -= 1
            count(worker.standing, .none, of: configuration)
        }
        for session in worker.parked { sessions[session]?.isLeaving = false }
        for session in worker.candidates { sessions[session]?.candidate = nil }
        if worker.isDraining, mayComeBack { drained.insert(worker.process) }
        var actions: [Action] = []
        for session in worker.sessions.sorted() {
            guard let phase = sessions[session]?.phase else { continue }
            sessions[session]?.problem = "its worker \(worker.name) is gone: \(reason)"
            sessions[session]?.refusedBy.remove(id)
            switch phase {
            case .connecting(let to, let from?) where to == id && isOver && workers[from] != nil:
                // The frozen scene is still there: it goes on where it was. Whoever moves next waits: it may have been the scene that
                // ended the worker.
                sessions[session]?.target = nil
                fail(session, at: now)
                actions.append(resume(session, at: from))
                continue
            case .connecting(let to, let from) where from == id && to != id:
                // The frozen scene is gone; the new one is on its way.
                setPhase(.connecting(to, from: nil), of: session)
                continue
            case .connecting(_, let from?):
                actions += discard(session, at: from, token: sessions[session]?.token ?? 0)
            default: break
            }
            guard isOver else {
                if sessions[session]?.patienceEnd == nil {
                    let end = now + timing.patience
                    sessions[session]?.patienceEnd = end
                    agenda.add(.session(session), at: end)
                }
                setPhase(.leased(until: now + timing.lease), of: session)
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

    /// Which workers are quiet now. They get no scenes until they are heard: to wait for those that they would not make costs more
    /// than to place them elsewhere, or a moment later.
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

    // MARK: - What is known of each

    /// Keeps the pools in step with a worker that is otherwise than before.
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
            let entry = ConfigurationPool.Opening(room: opening, worker: id, stamp: lastStamp)
            pools[configuration]?.add(entry, among: workers)
            guard opening > old.opening ?? 0, let pool = pools[configuration] else { continue }
            pools[configuration]?.choosyLeft = pool.choosy.count
            pending.insert(configuration)
        }
    }

    private mutating func count(_ old: AttachedWorker.Standing, _ new: AttachedWorker.Standing, of configuration: String) {
        pools[configuration]?.open += (new.isOpen ? 1 : 0) - (old.isOpen ? 1 : 0)
        pools[configuration]?.roomy += (new.isRoomy ? 1 : 0) - (old.isRoomy ? 1 : 0)
        if old.isRoomy, !new.isRoomy, pools[configuration]?.roomy == 0 { exhausted.insert(configuration) }
    }

    /// Puts a session where it is now on its way.
    mutating func setPhase(_ phase: Phase, of id: String) {
        guard let old = sessions[id]?.phase else { return }
        sessions[id]?.phase = phase
        changed.insert(id)
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

    /// A worker that has done something with a session has time for the next that waited for that.
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

    /// Keeps in mind which suspended scene goes on when all have been seen.
    mutating func setCandidate(_ candidate: (worker: WorkerID, token: UInt64)?, of id: String) {
        if let old = sessions[id]?.candidate {
            workers[old.worker]?.candidates.remove(id)
            workerChanged(old.worker)
        }
        sessions[id]?.candidate = candidate
        guard let candidate else { return }
        workers[candidate.worker]?.candidates.insert(id)
        workerChanged(candidate.worker)
    }
}
