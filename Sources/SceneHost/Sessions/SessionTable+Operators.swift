import Bus

/// What operators can do for a session whose scene cannot be made.
extension SessionTable {
    /// Ends the suspicion of a session, and gives it to a worker now if it waits.
    /// - Throws: ``SceneCommandError`` when it is not open.
    mutating func retry(_ id: String) throws(SceneCommandError) -> [Action] {
        guard let session = sessions[id] else { throw SceneCommandError.notOpen(id) }
        forgive(id)
        if session.phase == .waiting {
            forgetFailures(of: id)
            wait(id)
        }
        return place()
    }

    /// Starts a session's scene again, without its stored state and its links.
    ///
    /// The worker that has the scene must confirm first that it has discarded it.
    /// - Throws: ``SceneCommandError`` when it is not open.
    mutating func reset(_ id: String) throws(SceneCommandError) -> [Action] {
        guard let session = sessions[id] else { throw SceneCommandError.notOpen(id) }
        forgive(id)
        forgetFailures(of: id)
        dropState(of: id)
        keep(links: [], of: id)
        sessions[id]?.kept = nil
        sessions[id]?.problem = "it starts again without its stored state"
        // With a newer token than that of every scene that exists, no worker that comes back resumes one.
        let token = nextToken(for: id)
        unsaved.insert(id)
        switch session.phase {
        case .waiting:
            wait(id)
            return place()
        case .leased: return []
        case .collecting(let candidate):
            setPhase(.collecting(candidate: nil), of: id)
            return candidate.map { discard(id, at: $0.worker, token: token) } ?? []
        case .connecting(let worker, let from?):
            return discard(id, at: from, token: token) + [withdraw(id, from: worker, token: token)]
        case .connecting(let worker, nil), .returning(let worker), .resuming(let worker), .running(let worker),
            .withdrawing(let worker):
            return [withdraw(id, from: worker, token: token)]
        case .freezing(let move), .storing(let move):
            return [withdraw(id, from: move.from, token: token)]
        }
    }

    private mutating func withdraw(_ id: String, from worker: WorkerID, token: UInt64) -> Action {
        setPhase(.withdrawing(worker), of: id)
        sessions[id]?.startsAnew = true
        return .withdraw(id, worker, token: token)
    }

    private mutating func forgetFailures(of id: String) {
        sessions[id]?.lostItsWorker = false
        sessions[id]?.isRefused = false
        sessions[id]?.refusedBy = []
        sessions[id]?.retry.succeeded()
    }
}
