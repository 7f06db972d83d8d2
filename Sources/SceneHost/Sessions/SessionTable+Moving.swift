import Bus
import CBOR
import Messaging
import DequeModule

extension SessionTable {
    /// Scenes that leave a draining worker at a time.
    static let maximumDraining = 4

    /// Moves a session's scene.
    /// - Parameter worker: where to; `nil` for the worker with the most room.
    /// - Throws: ``SceneCommandError`` when it cannot be moved now.
    mutating func move(_ id: String, to worker: WorkerID?) throws(SceneCommandError) -> [Action] {
        guard let session = sessions[id] else { throw SceneCommandError.notOpen(id) }
        guard case .running(let from) = session.phase else {
            throw SceneCommandError(.notConnected, "session '\(id)' does not run now: \(summary(of: session))")
        }
        guard worker != from else {
            throw SceneCommandError(.refused, "session '\(id)' is with \(workers[from]?.name ?? "it") already")
        }
        let configuration = session.record.configuration
        let target: WorkerID?
        if let worker, let there = workers[worker] {
            guard there.offers.contains(configuration) else {
                throw SceneCommandError(.refused, "\(there.name) does not offer '\(configuration)'")
            }
            guard there.takesMore else {
                let reason =
                    there.isDraining ? "is being drained" : there.isQuiet ? "is not heard now" : "has no room"
                throw SceneCommandError(.refused, "\(there.name) \(reason)")
            }
            target = worker
        } else {
            target = best(for: configuration, without: session.refusedBy.union([from]))
        }
        guard let target else {
            throw SceneCommandError(.refused, "no other worker that offers '\(configuration)' has room")
        }
        sessions[id]?.target = worker
        return freeze(id, at: from, for: target)
    }

    /// Lets a scene stand still, to go on with a worker.
    mutating func freeze(_ id: String, at from: WorkerID, for worker: WorkerID) -> [Action] {
        setPhase(.freezing(from, to: worker), of: id)
        return [.freeze(id, from, token: sessions[id]?.token ?? 0)]
    }

    /// A scene stands still, with this state.
    mutating func frozen(_ id: String, token: UInt64, state: CBORRaw?) -> [Action] {
        guard let session = sessions[id], session.token == token, case .freezing(let from, let to) = session.phase
        else {
            return []
        }
        if let state { _ = keep(state, of: id) }
        setPhase(.storing(from, to: to), of: id)
        return [.store(id)]
    }

    /// A scene could not be made to stand still, or nobody knows: it goes on where it is.
    mutating func freezeFailed(
        _ id: String, token: UInt64, reason: String, at now: ContinuousClock.Instant
    ) -> [Action] {
        guard let session = sessions[id], session.token == token, case .freezing(let from, _) = session.phase else {
            return []
        }
        sessions[id]?.problem = reason
        // What waits for it comes first, and others that are to leave the worker; then it is asked again.
        pause(id, at: now)
        return [resume(id, at: from)]
    }

    /// A session has been written, or could not be.
    mutating func stored(_ id: String) -> [Action] {
        guard let session = sessions[id], case .storing(let from, let to) = session.phase else { return [] }
        let configuration = session.record.configuration
        var target = workers[to].flatMap { $0.takesMore ? to : nil }
        if target == nil, session.target == nil {
            target = best(for: configuration, without: session.refusedBy.union([from]))
        }
        guard let target else {
            sessions[id]?.problem =
                session.target == nil
                ? "no other worker that offers '\(configuration)' has room any more"
                : "\(workers[to]?.name ?? "that worker") has no room any more"
            return [resume(id, at: from)]
        }
        return [connect(id, at: target, from: from)]
    }

    /// A worker gets no more sessions, and those that it has move elsewhere, as far as there is room.
    mutating func drain(_ id: WorkerID) -> [Action] {
        guard let worker = workers[id], !worker.isDraining else { return [] }
        workers[id]?.isDraining = true
        workerChanged(id)
        for session in worker.sessions.sorted() where sessions[session]?.phase == .running(id) { leave(session) }
        return place()
    }

    /// A worker gets sessions again.
    mutating func undrain(_ id: WorkerID) -> [Action] {
        guard let worker = workers[id], worker.isDraining else { return [] }
        workers[id]?.isDraining = false
        for session in worker.parked { sessions[session]?.isLeaving = false }
        workers[id]?.parked = []
        workerChanged(id)
        return place()
    }

    /// A session is to leave its worker, which is drained, as soon as another has room.
    mutating func leave(_ id: String) {
        guard let session = sessions[id], !session.isLeaving else { return }
        let configuration = session.record.configuration
        sessions[id]?.isLeaving = true
        // By the operator's word it may go anywhere.
        sessions[id]?.target = nil
        pools[configuration, default: ConfigurationPool()].leaving.append(id)
        pending.insert(configuration)
    }

    /// The worker that a session can leave now; `nil` when it is not to.
    func mayLeave(_ id: String) -> WorkerID? {
        guard let session = sessions[id], case .running(let from) = session.phase, session.retry.due == nil,
            workers[from]?.isDraining == true
        else { return nil }
        return from
    }
}
