import Bus

/// Determines when to publish a beacon: at each heartbeat interval, and soon after a peer has subscribed, because that
/// peer waits for one. It is a value: the caller passes in the time.
struct Beacons: Hashable, Sendable {
    /// The minimum time between two beacons for new subscribers of a small host.
    private static let shortest = Duration.milliseconds(5)
    /// How much longer it is for each peer. Ten thousand deliveries a second cost a tenth of a core, of the host and of
    /// the peers together.
    private static let perPeer = Duration.microseconds(100)
    /// A peer that waits for 2 s starts over.
    private static let longest = Duration.milliseconds(500)

    let interval: Duration
    /// The minimum time between two beacons for new subscribers. When a thousand subscribe at once, they share a few
    /// beacons, because each beacon goes to all peers.
    private(set) var spacing: Duration
    private var last: MonotonicInstant
    private var isAskedFor = false

    init(interval: Duration, now: MonotonicInstant) {
        self.interval = interval
        spacing = Self.shortest
        last = now - spacing
    }

    /// When the next beacon is due.
    var due: MonotonicInstant { last + (isAskedFor ? spacing : interval) }

    /// Records that a peer has subscribed.
    /// - Parameter count: the number of peers that receive each beacon.
    mutating func subscribed(among count: Int) {
        isAskedFor = true
        spacing = min(max(Self.shortest, Self.perPeer * count), Self.longest)
    }

    /// Records that a beacon is published.
    mutating func sent(at now: MonotonicInstant) {
        last = now
        isAskedFor = false
    }
}
