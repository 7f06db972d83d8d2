import Bus
import DequeModule

extension SessionTable {
    /// The maximum number of pending discard requests for one worker.
    private static let maximumDiscarding = 16

    /// Asks a worker to discard an outdated scene of a session. The request is repeated as long as the worker is
    /// attached.
    mutating func discard(_ id: String, at worker: WorkerID, token: UInt64) -> [Action] {
        // Do not keep a copy of the worker in a variable: each change of the original would then copy its collections.
        guard workers[worker] != nil else { return [] }
        if let known = workers[worker]?.discards[id]?.token {
            // If a request with an older token is pending, another one follows its reply.
            workers[worker]?.discards[id]?.token = max(known, token)
            return []
        }
        workers[worker]?.discards[id] = AttachedWorker.Discard(token: token)
        workerChanged(worker)
        guard workers[worker]?.discarding ?? .max < Self.maximumDiscarding else {
            workers[worker]?.discardQueue.append(id)
            return []
        }
        return [ask(id, at: worker, token: token)]
    }

    private mutating func ask(_ id: String, at worker: WorkerID, token: UInt64) -> Action {
        workers[worker]?.discards[id]?.isAsked = true
        workers[worker]?.discarding += 1
        return .discard(id, worker, token: token)
    }

    /// Handles a worker's confirmation that it has no scene of the session with this token or an older one.
    mutating func discarded(_ id: String, at worker: WorkerID, token: UInt64) -> [Action] {
        guard let discard = workers[worker]?.discards[id], discard.isAsked else { return [] }
        workers[worker]?.discarding -= 1
        guard discard.token <= token else { return [ask(id, at: worker, token: discard.token)] }
        workers[worker]?.discards[id] = nil
        workerChanged(worker)
        var actions: [Action] = []
        while workers[worker]?.discarding ?? .max < Self.maximumDiscarding,
            let next = workers[worker]?.discardQueue.popFirst()
        {
            if let token = workers[worker]?.discards[next]?.token {
                actions.append(ask(next, at: worker, token: token))
            }
        }
        return actions + place()
    }

    /// Schedules a retry after a discard request has failed.
    mutating func discardFailed(_ id: String, at worker: WorkerID, at now: MonotonicInstant) {
        guard workers[worker]?.discards[id]?.isAsked == true else { return }
        workers[worker]?.discarding -= 1
        workers[worker]?.discards[id]?.isAsked = false
        // The scene occupies capacity, so retry more often than for sessions that only wait.
        let waits = Retry.Timing(first: timing.retry.first, maximum: timing.retry.first * 4)
        workers[worker]?.discards[id]?.retry.failed(at: now, waits)
        if let due = workers[worker]?.discards[id]?.retry.due { agenda.add(.discard(id, worker), at: due) }
    }

    mutating func discardAgain(_ id: String, at worker: WorkerID, _ now: MonotonicInstant) -> [Action] {
        guard let discard = workers[worker]?.discards[id], let due = discard.retry.due, due <= now else { return [] }
        workers[worker]?.discards[id]?.retry.begin()
        return [ask(id, at: worker, token: discard.token)]
    }
}
