import Bus
import DequeModule

/// The start of a host, with the sessions of an earlier one and the workers that return with their scenes.
extension SessionTable {
    /// Restores the sessions of an earlier host. The cost grows with their number.
    /// - Parameter isClean: whether that host shut down in order, so that no worker holds a scene.
    mutating func take(_ records: [SessionRecord], isClean: Bool) {
        order.reserve(records.count)
        for record in records {
            var session = Session(record: record, share: room.add(record))
            lastToken = max(lastToken, record.token)
            lastPosition = max(lastPosition, record.position)
            if !isClean {
                session.phase = .collecting(candidate: nil)
                session.problem = "the host has just started, and a worker may still run its scene"
            }
            sessions[record.id] = session
            if record.suspicion != nil {
                restoredSuspects.append(record.id)
                updateSuspect(record.id)
            }
            order.insert(session.orderKey)
            if isClean { enqueue(record.id) } else { collecting.append(record.id) }
        }
    }

    /// Starts the time in which workers of an earlier host, and workers that this host starts, may attach.
    /// - Parameters:
    ///   - names: the names of the workers that the host starts.
    ///   - isLaterLife: whether workers of an earlier host may reconnect, with or without scenes.
    mutating func begin(expecting names: Set<String>, isLaterLife: Bool = true, at now: MonotonicInstant) {
        for id in restoredSuspects { watch(id, at: now) }
        restoredSuspects = []
        if !names.isEmpty { expected = (names, now + timing.lease) }
        if isLaterLife {
            comingUntil = now + timing.comeBack
            lastStartUntil = now + timing.longestCollection
        }
        guard !collecting.isEmpty else { return }
        startUntil = now + timing.lease
        lateUntil = now + timing.comeBack
        lastStartUntil = now + timing.longestCollection
    }

    /// Whether workers of an earlier host, or workers that this host has started, are still expected.
    ///
    /// A worker that has attached is no longer expected, even if it is not synchronized, because its offers are known.
    var isArriving: Bool {
        if startUntil != nil || lateUntil != nil { return true }
        guard let expected else { return false }
        return !expected.workers.isSubset(of: workers.values.map(\.name))
    }

    /// Whether a worker that offers another configuration may still attach.
    func mayComeBack(at now: MonotonicInstant) -> Bool { isArriving || comingUntil.map { now < $0 } ?? false }

    /// Extends the wait for workers of an earlier host because some were asked to retry later, or because their hellos may
    /// not have been read yet. They may hold scenes.
    ///
    /// It extends the wait up to ``lastStartUntil`` at most.
    mutating func stillArriving(at now: MonotonicInstant) {
        guard let last = lastStartUntil else { return }
        let next = min(now + timing.lease, last)
        if let until = comingUntil { comingUntil = max(until, next) }
        if let until = startUntil {
            startUntil = max(until, next)
        } else if let until = lateUntil {
            lateUntil = max(until, next)
        }
    }

    /// Ends the wait for the workers of an earlier host when its time is over.
    mutating func endCollecting(at now: MonotonicInstant) {
        if let until = startUntil, now >= until {
            startUntil = nil
            // If no worker has outlived that host, none can be late.
            if !hasSeenHeld { lateUntil = nil }
        }
        if startUntil == nil, let until = lateUntil, now >= until { lateUntil = nil }
    }

    /// Decides what happens with a session after the first wait for workers of an earlier host.
    ///
    /// A session with a candidate resumes there. Any other session waits until ``lateUntil``, because its worker may
    /// still wait for a reply from the host that died.
    mutating func collected(_ id: String) {
        guard case .collecting(let candidate)? = sessions[id]?.phase else { return }
        guard let candidate else {
            guard lateUntil == nil else { return late.append(id) }
            return wait(id)
        }
        sessions[id]?.record.token = candidate.token
        setPhase(.returning(candidate.worker), of: id)
        if workers[candidate.worker]?.isReady == true { resumable.append((id, candidate.worker)) }
    }

    /// Decides what happens with a suspended scene that a worker has reported: the worker may resume it, or has to
    /// discard it.
    mutating func reported(_ scene: HeldScene, by worker: WorkerID, _ process: ProcessIdentity) -> [Action] {
        let id = scene.session
        // Reject a token that no host has issued: accepting a very large one would leave no larger tokens to issue.
        guard scene.token <= lastToken, let session = sessions[id],
            scene.token >= session.token
                || session.kept.map({ $0.process == process && scene.token >= $0.token }) == true
        else { return discard(id, at: worker, token: scene.token) }
        switch session.phase {
        case .collecting where !mayHold(session, worker), .leased where !mayHold(session, worker):
            return discard(id, at: worker, token: scene.token)
        case .collecting(let candidate) where startUntil != nil || candidate != nil:
            // Another worker may hold a newer scene; the newest one resumes when all old leases have expired.
            if let candidate, candidate.token >= scene.token { return discard(id, at: worker, token: scene.token) }
            let actions = candidate.map { discard(id, at: $0.worker, token: $0.token) } ?? []
            setPhase(.collecting(candidate: Candidate(worker: worker, token: scene.token)), of: id)
            return actions
        // No worker has reported the scene in time, so the first one that does so late may resume it.
        case .waiting, .leased, .collecting:
            sessions[id]?.record.token = max(scene.token, session.token)
            setPhase(.returning(worker), of: id)
            given(id, to: worker)
            return []
        default: return discard(id, at: worker, token: scene.token)
        }
    }
}
