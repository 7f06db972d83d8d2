import Bus
import DequeModule

/// Determines which peers receive the parts of a large snapshot now, and which wait for their turn. It is a value: the
/// caller passes in the time.
///
/// After a restart a thousand peers request the whole container. If all received it at the same time, none would finish
/// for a long time, and each would have so much to read that it missed heartbeats.
struct SnapshotTurns: Sendable {
    /// The number of peers that receive a snapshot at a time: enough for some to read while others request their next
    /// part.
    static let limit = 16
    /// How long a peer may take to request the next part. After that time another peer may begin.
    let pause: Duration
    /// The longest time for which a part may be in transit. A peer that has received none asks again after the same
    /// time.
    let longestWay: Duration
    /// How long a peer may receive a snapshot before another peer may begin, too.
    private let longestTurn: Duration
    /// The maximum number of peers that receive a snapshot, slow ones included. Each may keep an old state of the
    /// container in memory.
    static let maximumActive = 4 * limit
    /// A peer that has not gone on for so many times the longest way has given up its snapshot.
    private static let waysToGiveUp = 3

    private struct Turn {
        /// The last part that was sent to the peer for the first time, and when.
        var part: UInt64
        var time: MonotonicInstant
        /// When the turn began.
        var start: MonotonicInstant
    }

    /// The links that receive a snapshot.
    private var active: [UInt64: Turn] = [:]
    /// The links that wait, in the order in which they asked; some may be gone.
    private var waiting: Deque<UInt64> = []
    /// The same links. A link that asks twice waits once.
    private var isWaiting: Set<UInt64> = []

    /// The links whose turn was ended because others need the place.
    private var dropped: [UInt64] = []

    init(
        pause: Duration = .seconds(2), longestWay: Duration = .seconds(10), longestTurn: Duration = .seconds(4)
    ) {
        self.pause = pause
        self.longestWay = longestWay
        self.longestTurn = longestTurn
    }

    /// Returns whether this link may begin a snapshot. If not, the link waits, and must not ask again before
    /// ``next(at:)`` has returned it.
    mutating func mayBegin(_ link: UInt64, at now: MonotonicInstant) -> Bool {
        guard active[link] == nil else { return true }
        guard waiting.isEmpty, hasRoom(at: now) else {
            if isWaiting.insert(link).inserted { waiting.append(link) }
            return false
        }
        return true
    }

    /// Records that a part has been sent and that more follow. A part that is sent again does not prolong the turn.
    mutating func sent(part: UInt64, to link: UInt64, at now: MonotonicInstant) {
        if let turn = active[link], turn.part >= part { return }
        active[link] = Turn(part: part, time: now, start: active[link]?.start ?? now)
        guard active.count > Self.maximumActive,
            let slowest = active.filter({ $0.key != link }).min(by: { $0.value.start < $1.value.start })?.key
        else { return }
        active[slowest] = nil
        dropped.append(slowest)
    }

    /// Returns the links whose snapshot is to be dropped: their places were needed, or they have not gone on for long.
    mutating func takeDropped(at now: MonotonicInstant) -> [UInt64] {
        let limit = longestWay * Self.waysToGiveUp
        for (link, turn) in active where now - turn.time >= limit {
            active[link] = nil
            dropped.append(link)
        }
        defer { dropped = [] }
        return dropped
    }

    /// Ends a link's turn: the last part has been sent, or the link is gone.
    mutating func ended(_ link: UInt64) { active[link] = nil }

    /// Returns the next link whose turn has come; `nil` when there is none.
    mutating func next(at now: MonotonicInstant) -> UInt64? {
        guard !waiting.isEmpty, hasRoom(at: now) else { return nil }
        let link = waiting.removeFirst()
        isWaiting.remove(link)
        return link
    }

    private func hasRoom(at now: MonotonicInstant) -> Bool {
        guard active.count >= Self.limit else { return true }
        return active.values.count { now - $0.time <= pause && now - $0.start <= longestTurn } < Self.limit
    }
}
