import Bus
import DequeModule

/// Determines which peers receive the parts of a large snapshot now, and which wait for their turn. It is a value: the
/// caller passes in the time.
///
/// After a restart a thousand peers request the whole container. If all received it at the same time, none would finish
/// for a long time, and each would have so much to read that it missed heartbeats.
///
/// The processes or keys of the waiting peers take turns, so that one with many links does not keep another one out.
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
        let owner: PeerOwner
        /// Whether the link did not have to wait.
        let isAhead: Bool
        /// The last part that was sent to the peer for the first time, and when.
        var part: UInt64
        var time: MonotonicInstant
        /// When the turn began.
        var start: MonotonicInstant
    }

    /// The links that receive a snapshot.
    private var active: [UInt64: Turn] = [:]
    /// The links that wait, by their owners, in the order in which they asked; some may be gone.
    private var waiting: [PeerOwner: Deque<UInt64>] = [:]
    /// The owners of these links, the one whose turn is next first.
    private var waitingOwners: Deque<PeerOwner> = []
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
    mutating func mayBegin(_ link: UInt64, of owner: PeerOwner, at now: MonotonicInstant) -> Bool {
        guard active[link] == nil else { return true }
        guard waitingOwners.isEmpty, hasRoom(at: now) else {
            if isWaiting.insert(link).inserted {
                if waiting[owner] == nil { waitingOwners.append(owner) }
                waiting[owner, default: []].append(link)
            }
            return false
        }
        return true
    }

    /// Records that a part has been sent and that more follow. A part that is sent again does not prolong the turn.
    /// - Parameter isAhead: whether the link has begun without asking whether it may.
    mutating func sent(
        part: UInt64, to link: UInt64, of owner: PeerOwner, isAhead: Bool = false, at now: MonotonicInstant
    ) {
        if var turn = active[link] {
            guard turn.part < part else { return }
            (turn.part, turn.time) = (part, now)
            active[link] = turn
            return
        }
        if active.count >= Self.maximumActive { dropOne() }
        active[link] = Turn(owner: owner, isAhead: isAhead, part: part, time: now, start: now)
    }

    /// Ends the turn of a link whose owner has the most, the one that has not gone on for longest. A peer that goes on does
    /// not lose its turn to the many links of another process.
    private mutating func dropOne() {
        let counts = Dictionary(active.values.map { ($0.owner, 1) }, uniquingKeysWith: +)
        func rank(_ turn: Turn) -> (Int, MonotonicInstant) { (-(counts[turn.owner] ?? 0), turn.time) }
        guard let slowest = active.min(by: { rank($0.value) < rank($1.value) })?.key else { return }
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
        guard hasRoom(at: now), let owner = waitingOwners.popFirst() else { return nil }
        let link = waiting[owner]?.popFirst()
        if waiting[owner]?.isEmpty == false { waitingOwners.append(owner) } else { waiting[owner] = nil }
        if let link { isWaiting.remove(link) }
        return link
    }

    /// Whether another link that waits may begin. The links that are ahead take half of the room at the most.
    private func hasRoom(at now: MonotonicInstant) -> Bool {
        guard active.count >= Self.limit else { return true }
        var (ahead, others) = (0, 0)
        for turn in active.values where now - turn.time <= pause && now - turn.start <= longestTurn {
            if turn.isAhead { ahead += 1 } else { others += 1 }
        }
        return min(ahead, Self.limit / 2) + others < Self.limit
    }
}
