import Bus

/// Requests to make, resume and withdraw scenes that fail, and when they are retried.
extension SessionTable {
    /// Why a request to make or resume a scene has failed.
    enum ConnectFailure: Hashable {
        /// The outcome is unknown: the worker may have made or resumed the scene.
        case unknown
        /// The worker cannot read the session's state; another worker may be able to.
        case unreadableState
        case refused
        /// The request did not reach the worker, or was not handled.
        case notSent
    }

    mutating func connectFailed(
        _ id: String, token: UInt64, _ failure: ConnectFailure, reason: String, at now: MonotonicInstant
    ) -> [Action] {
        guard let session = sessions[id], session.token == token else { return [] }
        sessions[id]?.problem = reason
        changed.insert(id)
        switch session.phase {
        case .connecting(let worker, let from):
            if failure == .unknown {
                // The scene must be gone there for certain before another worker gets the session.
                setPhase(.withdrawing(worker), of: id)
                let discards = from.map { discard(id, at: $0, token: token) } ?? []
                return discards + [.withdraw(id, worker, token: token)]
            }
            sessions[id]?.isRefused = failure != .notSent
            if failure == .unreadableState {
                sessions[id]?.unreadable = reason
                let there = session.refusedBy.filter { workers[$0] != nil }
                sessions[id]?.refusedBy = there.union([worker])
            }
            if let from, workers[from] != nil {
                // Delay the next attempt, so that other sessions can move first and a failing move does not loop.
                fail(id, at: now)
                return [resume(id, at: from)] + place()
            }
            return failed(id, elsewhere: failure == .unreadableState, at: now)
        case .resuming(let worker):
            switch failure {
            case .unknown:
                setPhase(.withdrawing(worker), of: id)
                return [.withdraw(id, worker, token: token)]
            case .notSent where workers[worker] != nil:
                // The worker still has the scene; ask it again after a delay.
                setPhase(.returning(worker), of: id)
                fail(id, at: now)
                return place()
            case .notSent, .refused, .unreadableState: return failed(id, elsewhere: true, at: now)
            }
        default: return []
        }
    }

    /// Places a session again: at once on another worker, or after a delay.
    private mutating func failed(_ id: String, elsewhere: Bool, at now: MonotonicInstant) -> [Action] {
        if elsewhere {
            wait(id)
        } else {
            setPhase(.waiting, of: id)
            fail(id, at: now)
        }
        return place()
    }

    /// Schedules a retry after a constant delay, because the failure does not predict the outcome of the next attempt.
    mutating func pause(_ id: String, at now: MonotonicInstant) {
        let retry = timing.retry
        sessions[id]?.retry.pause(at: now, retry)
        tryLater(id)
    }

    mutating func fail(_ id: String, at now: MonotonicInstant) {
        let retry = timing.retry
        sessions[id]?.retry.failed(at: now, retry)
        tryLater(id)
    }

    private mutating func tryLater(_ id: String) {
        guard let session = sessions[id], let due = session.retry.due else { return }
        agenda.add(.session(id), at: due)
        changed.insert(id)
        guard !session.isFailing else { return }
        sessions[id]?.isFailing = true
        pools[session.record.configuration, default: ConfigurationPool()].failing.append(id)
    }

    /// Handles a worker's confirmation that it no longer has the scene.
    mutating func withdrawn(_ id: String, token: UInt64, at now: MonotonicInstant) -> [Action] {
        guard sessions[id]?.token == token, case .withdrawing = sessions[id]?.phase else { return [] }
        return failed(id, elsewhere: sessions[id]?.startsAnew == true, at: now)
    }

    /// Schedules a retry after a request to withdraw a scene has failed.
    mutating func withdrawFailed(_ id: String, token: UInt64, at now: MonotonicInstant) {
        guard sessions[id]?.token == token, case .withdrawing = sessions[id]?.phase else { return }
        fail(id, at: now)
    }
}
