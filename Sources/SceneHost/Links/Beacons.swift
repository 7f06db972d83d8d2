/// When to publish a beacon: at each heartbeat, and soon after somebody has subscribed, who waits for one. A value with the time
/// fed in.
struct Beacons: Hashable, Sendable {
    let interval: Duration
    /// The least time between two for new subscribers: a thousand that come at once share some.
    let spacing: Duration
    private var last: ContinuousClock.Instant
    private var isAskedFor = false

    init(interval: Duration, spacing: Duration = .milliseconds(20), now: ContinuousClock.Instant) {
        self.interval = interval
        self.spacing = spacing
        last = now - spacing
    }

    /// When the next is due.
    var due: ContinuousClock.Instant { last + (isAskedFor ? spacing : interval) }

    /// Somebody has subscribed.
    mutating func subscribed() { isAskedFor = true }

    /// One is published.
    mutating func sent(at now: ContinuousClock.Instant) {
        last = now
        isAskedFor = false
    }
}
