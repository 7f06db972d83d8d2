import DequeModule

/// Which peers get the parts of a snapshot of many entries now, and which wait for their turn. A value: the time is fed in.
///
/// After a restart a thousand peers want the whole container. When all get it at the same time, none is done for long, and each has
/// so much to read that it misses heartbeats.
struct SnapshotTurns: Sendable {
    /// Peers that get one at a time: enough for some to read while others ask.
    static let limit = 16
    /// Who has not asked for the next part for so long lets another begin.
    static let pause = Duration.seconds(2)

    /// How long a part may take to its peer. A peer that has got none asks again as long after.
    private static let longestWay = Duration.seconds(10)

    /// The links that get one, and when each got its last part.
    private var active: [UInt64: ContinuousClock.Instant] = [:]
    /// The links that wait, in the order in which they came; some may be gone.
    private var waiting: Deque<UInt64> = []

    /// May this link begin one? Else it waits; it is not to ask again before ``next(at:)`` has named it.
    mutating func mayBegin(_ link: UInt64, at now: ContinuousClock.Instant) -> Bool {
        guard active[link] == nil else { return true }
        guard waiting.isEmpty, hasRoom(at: now) else {
            waiting.append(link)
            return false
        }
        return true
    }

    /// Whether a link gets one, and a part of it may be on its way.
    func isActive(_ link: UInt64, at now: ContinuousClock.Instant) -> Bool {
        active[link].map { now - $0 < Self.longestWay } ?? false
    }

    /// A part has been sent, and more follow.
    mutating func sentPart(_ link: UInt64, at now: ContinuousClock.Instant) { active[link] = now }

    /// The last part has been sent, or the link is gone.
    mutating func ended(_ link: UInt64) { active[link] = nil }

    /// The next whose turn it is; called until there is none.
    mutating func next(at now: ContinuousClock.Instant) -> UInt64? {
        guard !waiting.isEmpty, hasRoom(at: now) else { return nil }
        return waiting.removeFirst()
    }

    private mutating func hasRoom(at now: ContinuousClock.Instant) -> Bool {
        if active.count >= Self.limit { active = active.filter { now - $0.value <= Self.pause } }
        return active.count < Self.limit
    }
}
