import DequeModule

/// Which peers get the parts of a snapshot of many entries now, and which wait for their turn. A value: the time is fed in.
///
/// After a restart a thousand peers want the whole container. When all get it at the same time, none is done for long, and each has
/// so much to read that it misses heartbeats.
struct SnapshotTurns: Sendable {
    /// Peers that get one at a time: enough for some to read while others ask.
    static let limit = 16
    /// Who has not asked for the next part for so long lets another begin.
    let pause: Duration
    /// How long a part may take to its peer. A peer that has got none asks again as long after.
    private let longestWay: Duration

    private struct Turn {
        /// The last part that was sent to it for the first time, and when.
        var part: UInt64
        var time: ContinuousClock.Instant
    }

    /// The links that get one.
    private var active: [UInt64: Turn] = [:]
    /// The links that wait, in the order in which they came; some may be gone.
    private var waiting: Deque<UInt64> = []

    init(pause: Duration = .seconds(2), longestWay: Duration = .seconds(10)) {
        self.pause = pause
        self.longestWay = longestWay
    }

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
        active[link].map { now - $0.time < longestWay } ?? false
    }

    /// A part has been sent, and more follow. One that is sent again does not prolong the turn.
    mutating func sent(part: UInt64, to link: UInt64, at now: ContinuousClock.Instant) {
        if let turn = active[link], turn.part >= part { return }
        active[link] = Turn(part: part, time: now)
    }

    /// The last part has been sent, or the link is gone.
    mutating func ended(_ link: UInt64) { active[link] = nil }

    /// The next whose turn it is; called until there is none.
    mutating func next(at now: ContinuousClock.Instant) -> UInt64? {
        guard !waiting.isEmpty, hasRoom(at: now) else { return nil }
        return waiting.removeFirst()
    }

    private mutating func hasRoom(at now: ContinuousClock.Instant) -> Bool {
        guard active.count >= Self.limit else { return true }
        active = active.filter { now - $0.value.time < longestWay }
        return active.values.count { now - $0.time <= pause } < Self.limit
    }
}
