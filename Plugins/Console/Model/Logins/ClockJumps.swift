package import Monotonic

/// Finds out that the clock was set, by which it is known when somebody came last.
package struct ClockJumps: Sendable {
    /// The smallest difference that counts, in seconds.
    private static let smallest = 60.0

    private var time: Double
    private var instant: MonotonicInstant

    /// - Parameters:
    ///   - time: the time of day, in seconds since 1970.
    ///   - instant: the time by which durations are measured.
    package init(time: Double, instant: MonotonicInstant) {
        self.time = time
        self.instant = instant
    }

    /// Returns by how many seconds the clock was set since the last time that it was; `nil` if it was not.
    package mutating func next(time: Double, instant: MonotonicInstant) -> Double? {
        let jump = (time - self.time) - (instant - self.instant) / .seconds(1)
        guard abs(jump) >= Self.smallest else { return nil }
        self = ClockJumps(time: time, instant: instant)
        return jump
    }
}
