import Bus
import CBOR
import Messaging
import DequeModule

extension SessionTable {
    /// The maximum number of scenes that leave a draining worker at the same time.
    static let maximumDraining = 4

    /// Moves a session's scene to another worker.
    /// - Parameter worker: the target; `nil` for the worker with the most room.
    /// - Throws: ``SceneCommandError`` when it cannot be moved now.
    mutating func move(_ id: String, to worker: WorkerID?) throws(SceneCommandError) -> [Action] {
        guard let session = sessions[id] else { throw SceneCommandError.notOpen(id) }
        guard case .running(let from) = session.phase else {
            throw SceneCommandError(.notConnected, "session '\(id)' does not run now: \(summary(of: session))")
        }
        if let suspicion = session.record.suspicion, suspicion.isHeld {
            throw SceneCommandError(
                .refused, "session '\(id)' stays where it runs: it has \(suspicion.problem(of: id, quotes: false))")
        }
        guard worker != from else {
            throw SceneCommandError(.refused, "session '\(id)' is already on \(workers[from]?.name ?? "this worker")")
        }
        let configuration = session.record.configuration
        let target: WorkerID?
        if let worker, let there = workers[worker] {
            guard there.offers.contains(configuration) else {
                throw SceneCommandError(.refused, "\(there.name) does not offer '\(configuration)'")
            }
            guard there.takesMore else {
                let reason =
                    there.isDraining ? "is being drained" : there.isQuiet ? "does not respond" : "has no room"
                throw SceneCommandError(.refused, "\(there.name) \(reason)")
            }
            target = worker
        } else {
            target = best(for: configuration, without: session.refusedBy.union([from]))
        }
        guard let target else {
            throw SceneCommandError(.refused, "no other worker that offers '\(configuration)' has room")
        }
        return freeze(id, for: Move(from: from, to: target, allowsOthers: worker == nil))
    }

    /// Freezes a scene that is about to move to another worker.
    mutating func freeze(_ id: String, for move: Move) -> [Action] {
        setPhase(.freezing(move), of: id)
        return [.freeze(id, move.from, token: sessions[id]?.token ?? 0)]
    }

    /// Handles a scene that was frozen with this state.
    mutating func frozen(_ id: String, token: UInt64, state: CBORRaw?) -> [Action] {
        guard let session = sessions[id], session.token == token, case .freezing(let move) = session.phase else {
            return []
        }
        if let state { _ = keep(state, of: id) }
        disprove(Moment.freeze, of: id)
        setPhase(.storing(move), of: id)
        return [.store(id)]
    }

    /// Resumes a scene in place because freezing it has failed or its outcome is unknown.
    mutating func freezeFailed(
        _ id: String, token: UInt64, reason: String, at now: MonotonicInstant
    ) -> [Action] {
        guard let session = sessions[id], session.token == token, case .freezing(let move) = session.phase else {
            return []
        }
        sessions[id]?.problem = reason
        // Wait before the next attempt, so that waiting inputs and other sessions that leave this worker go first.
        pause(id, at: now)
        return [resume(id, at: move.from)]
    }

    /// Continues a move after the session was written to the store, or could not be.
    mutating func stored(_ id: String) -> [Action] {
        guard let session = sessions[id], case .storing(let move) = session.phase else { return [] }
        let configuration = session.record.configuration
        var target = workers[move.to].flatMap { $0.takesMore ? move.to : nil }
        if target == nil, move.allowsOthers {
            target = best(for: configuration, without: session.refusedBy.union([move.from]))
        }
        guard let target else {
            sessions[id]?.problem =
                move.allowsOthers
                ? "no other worker that offers '\(configuration)' has room any more"
                : "\(workers[move.to]?.name ?? "that worker") has no room any more"
            return [resume(id, at: move.from)]
        }
        return [connect(id, at: target, from: move.from)]
    }

    /// Drains a worker: it gets no more sessions, and its sessions move to other workers as far as there is room.
    mutating func drain(_ id: WorkerID) -> [Action] {
        guard let worker = workers[id], !worker.isDraining else { return [] }
        workers[id]?.isDraining = true
        workerChanged(id)
        for session in worker.sessions.sorted() where sessions[session]?.phase == .running(id) { leave(session) }
        return place()
    }

    /// Ends the draining of a worker, which can be given sessions again.
    mutating func undrain(_ id: WorkerID) -> [Action] {
        guard let worker = workers[id], worker.isDraining else { return [] }
        workers[id]?.isDraining = false
        for session in worker.parked { sessions[session]?.isLeaving = false }
        workers[id]?.parked = []
        workerChanged(id)
        return place()
    }

    /// Enqueues a session that has to leave its draining worker as soon as another one has room.
    mutating func leave(_ id: String) {
        guard let session = sessions[id], !session.isLeaving else { return }
        let configuration = session.record.configuration
        sessions[id]?.isLeaving = true
        pools[configuration, default: ConfigurationPool()].leaving.append(id)
        pending.insert(configuration)
    }

    /// The draining worker that a session can leave now; `nil` if there is none.
    func mayLeave(_ id: String) -> WorkerID? {
        guard let session = sessions[id], case .running(let from) = session.phase, session.retry.due == nil,
            !session.isHeld, workers[from]?.isDraining == true
        else { return nil }
        return from
    }
}
