/// Tells whether the other side of a link is alive, from when it was heard last. A value with the time fed in.
package struct Liveness: Hashable, Sendable {
    /// Between two heartbeats.
    package let interval: Duration
    /// Silence after which the other side counts as dead.
    package let limit: Duration
    private var lastHeard: ContinuousClock.Instant
    /// When this side last looked: a process that was stopped itself must not blame the other.
    private var lastLooked: ContinuousClock.Instant
    /// How much later than once in an interval this side has looked since it heard the other: so long it read nothing either.
    private var late = Duration.zero
    /// It was given time once since it was heard: one that is dead is not alive because this side is slow again and again.
    private var wasGivenTime = false

    package init(interval: Duration, limit: Duration? = nil, now: ContinuousClock.Instant) {
        self.interval = interval
        self.limit = limit ?? interval * 5 / 2
        lastHeard = now
        lastLooked = now
    }

    package mutating func heard(at now: ContinuousClock.Instant) {
        lastHeard = now
        // What it was late before says nothing of the silence that begins now.
        lastLooked = max(lastLooked, now)
        late = .zero
        wasGivenTime = false
    }

    /// How long the other side has not been heard.
    package func silence(at now: ContinuousClock.Instant) -> Duration { now - lastHeard }

    /// Looks at the clock.
    /// - Returns: how long the other side has been silent, when that is too long; `nil` while it is alive.
    package mutating func look(at now: ContinuousClock.Instant) -> Duration? {
        // What came while this process stood still, once or again and again, has not been read yet: give it one interval. Whoever
        // does not stand still looks at least once in an interval.
        late += max(.zero, now - lastLooked - interval)
        if late > interval / 2, now - lastHeard >= limit, !wasGivenTime {
            lastHeard = now - limit + interval
            wasGivenTime = true
        }
        lastLooked = now
        let silent = now - lastHeard
        return silent >= limit ? silent : nil
    }

    /// When to look next.
    package var nextLook: ContinuousClock.Instant { lastHeard + limit }
}
