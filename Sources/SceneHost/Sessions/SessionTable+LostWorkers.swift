import DequeModule
import Bus

/// What becomes of the sessions of a worker that has left.
extension SessionTable {
    /// Handles a worker that has detached.
    /// - Parameters:
    ///   - isOver: whether it no longer runs scenes: its process has ended, it said goodbye, or its lease has expired.
    ///   - mayComeBack: whether its process may still exist.
    ///   - isCrash: whether it has crashed, as far as is known: it was not asked to end, and said no goodbye.
    ///   - crash: what is known of the crash, for operators.
    mutating func detached(
        _ id: WorkerID, reason: String, isOver: Bool, mayComeBack: Bool = true, isCrash: Bool = false,
        crash: Suspicion.Crash? = nil, at now: MonotonicInstant
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
        if worker.isDraining, mayComeBack { rememberDrained(worker.process) }
        if isCrash, !isEnding { accuseSessions(of: worker, crash, mayComeBack: mayComeBack, now) }
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
            if sessions[session]?.isHeld == true {
                // Also without a pending retry.
                wait(session)
            } else if case .connecting = phase {
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
}
