import Bus

/// Determines when to publish a beacon: at each heartbeat interval, and soon after a peer has subscribed, because that
/// peer waits for one. It is a value: the caller passes in the time.
struct Beacons: Hashable, Sendable {
    let interval: Duration
    /// The minimum time between two beacons for new subscribers. When a thousand subscribe at once, they share a few
    /// beacons, because each beacon goes to all peers.
    private(set) var spacing: Duration
    private var last: MonotonicInstant
    private var isAskedFor = false

    init(interval: Duration, now: MonotonicInstant) {
        self.interval = interval
        spacing = .milliseconds(5)
        last = now - spacing
    }

    /// When the next beacon is due.
    var due: MonotonicInstant { last + (isAskedFor ? spacing : interval) }

    /// Records that a peer has subscribed.
    /// - Parameter count: the number of peers that receive each beacon.
    mutating func subscribed(among count: Int) {
        isAskedFor = true
        spacing = max(.milliseconds(5), .microseconds(10) * count)
    }

    /// Records that a beacon is published.
    mutating func sent(at now: MonotonicInstant) {
        last = now
        isAskedFor = false
    }
}
