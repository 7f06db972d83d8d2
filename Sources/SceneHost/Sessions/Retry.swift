import Bus

/// The schedule of retries, with delays that double up to a maximum. The caller passes the time.
struct Retry: Hashable, Sendable {
    /// The first and the longest delay.
    struct Timing: Hashable, Sendable {
        var first: Duration
        var maximum: Duration
    }

    /// When the next attempt is due; `nil` when no retry is pending.
    private(set) var due: MonotonicInstant?
    private var failures = 0

    /// Starts an attempt, whether or not it was due.
    mutating func begin() { due = nil }

    mutating func failed(at now: MonotonicInstant, _ timing: Timing) {
        due = now + min(timing.first * (1 << min(failures, 16)), timing.maximum)
        failures += 1
    }

    /// Schedules a retry after five times the first delay, without counting a failure.
    mutating func pause(at now: MonotonicInstant, _ timing: Timing) { due = now + timing.first * 5 }

    mutating func succeeded() { self = Retry() }
}
