import Bus
import Store

extension SessionTable {
    /// A worker has attached.
    /// - Parameter held: the scenes that it has kept, suspended.
    mutating func attached(
        _ id: WorkerID, _ process: ProcessIdentity, offers: Set<String>, capacity: Int, held: [HeldScene],
        at now: ContinuousClock.Instant
    ) -> [Action] {
        workers[id] = Worker(id: id, process: process, offers: offers, capacity: capacity)
        // It has lost its link only: what an operator has said of it holds.
        if drained.contains(process) {
            workers[id]?.isDraining = true
            draining.insert(id)
        }
        drained = drained.filter { $0.peer != process.peer }
        var actions: [Action] = []
        for scene in held {
            // A token that no host has given would be the last there is: none is larger than the largest number.
            guard scene.token <= lastToken, let session = sessions[scene.session],
                scene.token >= session.token
                    || session.kept.map({ $0.process == process && scene.token >= $0.token }) == true
            else {
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
                sessions[scene.session]?.record.token = max(scene.token, session.token)
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
        for session in worker.sessions.sorted() where sessions[session]?.phase == .returning(id) && !isHeld {
            actions.append(resume(session, at: id))
        }
        // What could not be placed may be now; what has cost a worker waits for its time.
        for session in failing.sorted() {
            guard let value = sessions[session], value.phase == .waiting, !value.lostItsWorker else { continue }
            sessions[session]?.retry.begin()
            failing.remove(session)
            enqueue(session)
        }
        return actions + schedule(Set(queues.keys)) + drainAll()
    }

    /// A worker is gone.
    /// - Parameters:
    ///   - isOver: it runs nothing any more: its process has ended, it said goodbye, or its lease is over.
    ///   - mayComeBack: its process may be there still.
    mutating func detached(
        _ id: WorkerID, reason: String, isOver: Bool, mayComeBack: Bool = true, at now: ContinuousClock.Instant
    ) -> [Action] {
        guard let worker = workers[id] else { return [] }
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
                sessions[session]?.retry.begin()
                failing.remove(session)
                enqueue(session)
            }
        }
        for (session, value) in sessions where value.candidate?.worker == id { sessions[session]?.candidate = nil }
        workers[id] = nil
        if draining.remove(id) != nil, mayComeBack { drained.insert(worker.process) }
        return actions + schedule(worker.offers)
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
        return schedule(offers) + (heard.isEmpty ? [] : drainAll())
    }
}
