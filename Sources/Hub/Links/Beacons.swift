/// When to publish a beacon: at each heartbeat, and soon after somebody has subscribed, who waits for one. A value with the time
/// fed in.
struct Beacons: Hashable, Sendable {
    let interval: Duration
    /// The least time between two for new subscribers: a thousand that come at once share some, for each goes to everybody.
    private(set) var spacing: Duration
    private var last: ContinuousClock.Instant
    private var isAskedFor = false

    init(interval: Duration, now: ContinuousClock.Instant) {
        self.interval = interval
        spacing = .milliseconds(5)
        last = now - spacing
    }

    /// When the next is due.
    var due: ContinuousClock.Instant { last + (isAskedFor ? spacing : interval) }

    /// Somebody has subscribed.
    /// - Parameter count: of those that get each beacon.
    mutating func subscribed(among count: Int) {
        isAskedFor = true
        spacing = max(.milliseconds(5), .microseconds(10) * count)
    }

    /// One is published.
    mutating func sent(at now: ContinuousClock.Instant) {
        last = now
        isAskedFor = false
    }
}
