/// Determines whether the other side of a link is alive, from the time of the last frame. It is a value: the caller
/// passes in the time.
package struct Liveness: Hashable, Sendable {
    /// The time between two heartbeats.
    package let interval: Duration
    /// The silence after which the other side is considered dead.
    package let limit: Duration
    private var lastHeard: MonotonicInstant
    /// When this side last checked. A process that was stopped must not conclude that the other side is dead.
    private var lastLooked: MonotonicInstant
    /// The delay of the checks, which should happen once per interval, since the last frame. During that time this side
    /// read no frames either.
    private var late = Duration.zero
    /// How often the other side has been granted extra time since the last frame.
    private var grants = 0
    /// How often it is granted extra time: where both sides are slow, as on one machine that stalls, this side can be twice in
    /// a row before the other one has said anything. A dead side is found even when this side is slow again and again.
    private static let maximumGrants = 2

    package init(interval: Duration, limit: Duration? = nil, now: MonotonicInstant) {
        self.interval = interval
        self.limit = limit ?? interval * 5 / 2
        lastHeard = now
        lastLooked = now
    }

    package mutating func heard(at now: MonotonicInstant) {
        lastHeard = now
        // Earlier delays say nothing about the silence that begins now.
        lastLooked = max(lastLooked, now)
        late = .zero
        grants = 0
    }

    /// Returns the time since the last frame.
    package func silence(at now: MonotonicInstant) -> Duration { now - lastHeard }

    /// Checks whether the other side has been silent for too long.
    /// - Returns: the length of the silence when it is too long; `nil` while the other side is alive.
    package mutating func look(at now: MonotonicInstant) -> Duration? {
        // What arrived while this process was stopped, once or repeatedly, has not been read yet, so grant one
        // interval. A process that is not stopped checks at least once per interval.
        late += max(.zero, now - lastLooked - interval)
        if late > interval / 2, now - lastHeard >= limit, grants < Self.maximumGrants {
            lastHeard = now - limit + interval
            grants += 1
            late = .zero
        }
        lastLooked = now
        let silent = now - lastHeard
        return silent >= limit ? silent : nil
    }

    /// When to check next.
    package var nextLook: MonotonicInstant { lastHeard + limit }
}
