/// When to try again what has failed: after waits that double up to a maximum. A value: the time is fed in.
struct Retry: Hashable, Sendable {
    /// The waits.
    struct Timing: Hashable, Sendable {
        var first: Duration
        var maximum: Duration
    }

    /// When the next try is due; `nil` when there is nothing to try again.
    private(set) var due: ContinuousClock.Instant?
    private var failures = 0

    /// A try has begun, whether or not it was due.
    mutating func begin() { due = nil }

    mutating func failed(at now: ContinuousClock.Instant, _ timing: Timing) {
        due = now + min(timing.first * (1 << min(failures, 16)), timing.maximum)
        failures += 1
    }

    /// Waits for some first waits, without counting a failure.
    mutating func pause(at now: ContinuousClock.Instant, _ timing: Timing) { due = now + timing.first * 5 }

    mutating func succeeded() { self = Retry() }
}
