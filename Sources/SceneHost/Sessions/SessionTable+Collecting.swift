import Bus
import DequeModule

/// A host that starts: the sessions of an earlier one, and the workers that come with their scenes.
extension SessionTable {
    /// Takes over the sessions of an earlier host. What that costs grows with how many they are.
    /// - Parameter isClean: that host ended in order, and no worker holds a scene.
    mutating func take(_ records: [SessionRecord], isClean: Bool) {
        order.reserve(records.count)
        for record in records {
            var session = Session(record: record)
            lastToken = max(lastToken, record.token)
            lastPosition = max(lastPosition, record.position)
            if !isClean {
                session.phase = .collecting
                session.problem = "the host has just started, and a worker may still run its scene"
            }
            sessions[record.id] = session
            order.insert(session.orderKey)
            if isClean { enqueue(record.id) } else { collecting.append(record.id) }
        }
    }

    /// Workers can attach from now on.
    /// - Parameters:
    ///   - names: the names of the workers that the host starts.
    ///   - isLaterLife: workers of an earlier host may come back, with or without scenes.
    mutating func begin(expecting names: Set<String>, isLaterLife: Bool = true, at now: ContinuousClock.Instant) {
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

    /// Whether workers may still come that were there before the host was, or that it has started. One that has attached has come:
    /// what it offers is known, before it is complete.
    var isArriving: Bool {
        if startUntil != nil || lateUntil != nil { return true }
        guard let expected else { return false }
        return !expected.workers.isSubset(of: workers.values.map(\.name))
    }

    /// Whether a worker may still come that offers what nobody offers now.
    func mayComeBack(at now: ContinuousClock.Instant) -> Bool { isArriving || comingUntil.map { now < $0 } ?? false }

    /// Workers are still on their way, and are told to come again: they may hold scenes. What has no scene yet waits for them, as
    /// long as that is told, and not for ever.
    mutating func stillArriving(at now: ContinuousClock.Instant) {
        guard let last = lastStartUntil else { return }
        let next = min(now + timing.lease, last)
        if let until = comingUntil { comingUntil = max(until, next) }
        if let until = startUntil {
            startUntil = max(until, next)
        } else if let until = lateUntil {
            lateUntil = max(until, next)
        }
    }

    /// Nobody waits any longer for the workers of an earlier host, when their time is over.
    mutating func endCollecting(at now: ContinuousClock.Instant) {
        if let until = startUntil, now >= until {
            startUntil = nil
            // Where no worker has outlived that host, none is late.
            if !hasSeenHeld { lateUntil = nil }
        }
        if startUntil == nil, let until = lateUntil, now >= until { lateUntil = nil }
    }

    /// The workers of an earlier host have had their time to come with a session's scene. Where some have, one that has not may be on
    /// its way: what it said to a host that was about to die, nobody has answered.
    mutating func collected(_ id: String) {
        guard let session = sessions[id], session.phase == .collecting else { return }
        guard let candidate = session.candidate else {
            guard lateUntil == nil else { return late.append(id) }
            return wait(id)
        }
        setCandidate(nil, of: id)
        sessions[id]?.record.token = candidate.token
        setPhase(.returning(candidate.worker), of: id)
        if workers[candidate.worker]?.isReady == true { resumable.append((id, candidate.worker)) }
    }
}
