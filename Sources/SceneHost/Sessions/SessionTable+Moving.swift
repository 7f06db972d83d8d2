import Bus
import CoordinatorKit
import Store

extension SessionTable {
    /// Scenes that leave a draining worker at a time.
    private static let maximumDraining = 4

    /// Moves a session's scene.
    /// - Parameter worker: where to; `nil` for the worker with the most room.
    /// - Throws: ``SceneCommandError`` when it cannot be moved now.
    mutating func move(_ id: String, to worker: WorkerID?) throws(SceneCommandError) -> [Action] {
        guard let session = sessions[id] else { throw SceneCommandError.notOpen(id) }
        guard case .running(let from) = session.phase else {
            throw SceneCommandError(code: "notConnected", "session '\(id)' does not run now: \(summary(of: session))")
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
        sessions[id]?.target = worker
        setPhase(.freezing(from, to: target.id), of: id)
        return [.freeze(id, from, token: session.token)]
    }

    /// A scene stands still, with this state.
    mutating func frozen(_ id: String, token: UInt64, state: UserActivity?) -> [Action] {
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
        var target = workers[to].flatMap { $0.takesMore ? $0 : nil }
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
        return schedule(workers[id]?.offers ?? []) + drainAll()
    }

    mutating func drainAll() -> [Action] {
        guard !isEnding else { return [] }
        var actions: [Action] = []
        for id in draining.sorted() {
            guard let worker = workers[id] else { continue }
            var moving = worker.sessions.count {
                sessions[$0].map { if case .running = $0.phase { false } else { true } } ?? false
            }
            for session in worker.sessions.sorted() where moving < Self.maximumDraining {
                guard sessions[session]?.retry.due == nil, let freeze = try? move(session, to: nil) else { continue }
                actions += freeze
                moving += 1
            }
        }
        return actions
    }
}
