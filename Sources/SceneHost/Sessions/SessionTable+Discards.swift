import Bus
import DequeModule

extension SessionTable {
    /// Scenes that one worker is told to end at a time.
    private static let maximumDiscarding = 16

    /// Has a worker end what it has of a scene that is no longer the session's. It is told again and again, as long as it is attached.
    mutating func discard(_ id: String, at worker: WorkerID, token: UInt64) -> [Action] {
        // No copy of the worker is held: it would be another one's, and each change of it would copy all that it has.
        guard workers[worker] != nil else { return [] }
        if let known = workers[worker]?.discards[id]?.token {
            // What is on its way with an older token is told again when it has been answered.
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

    /// A worker has nothing of a scene any more whose token is not larger than this.
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

    /// A worker has not said that it has nothing of a scene any more: it is asked again.
    mutating func discardFailed(_ id: String, at worker: WorkerID, at now: ContinuousClock.Instant) {
        guard workers[worker]?.discards[id]?.isAsked == true else { return }
        workers[worker]?.discarding -= 1
        workers[worker]?.discards[id]?.isAsked = false
        // It keeps a place from others: it is asked more often than what only waits.
        let waits = Retry.Timing(first: timing.retry.first, maximum: timing.retry.first * 4)
        workers[worker]?.discards[id]?.retry.failed(at: now, waits)
        if let due = workers[worker]?.discards[id]?.retry.due { agenda.add(.discard(id, worker), at: due) }
    }

    mutating func discardAgain(_ id: String, at worker: WorkerID, _ now: ContinuousClock.Instant) -> [Action] {
        guard let discard = workers[worker]?.discards[id], let due = discard.retry.due, due <= now else { return [] }
        workers[worker]?.discards[id]?.retry.begin()
        return [ask(id, at: worker, token: discard.token)]
    }
}
