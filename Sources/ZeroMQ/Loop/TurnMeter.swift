import Glibc

/// The durations of the main loop's turns.
package struct TurnTimes: Hashable, Sendable {
    /// The longest turn. Events that arrived during a turn were handled only after it.
    package var longest = Duration.zero
    /// The largest processor time of a single turn.
    package var longestProcessor = Duration.zero
    /// The processor time of all turns.
    package var processor = Duration.zero
}

/// Measures the turns of the main loop.
final class TurnMeter {
    private(set) var times = TurnTimes()
    private var start = MonotonicInstant.now
    private var processorStart = TurnMeter.processorTime()

    func begin() {
        start = .now
        processorStart = Self.processorTime()
    }

    func end() {
        let processor = Self.processorTime() - processorStart
        times.longest = max(times.longest, .now - start)
        times.longestProcessor = max(times.longestProcessor, processor)
        times.processor += processor
    }

    /// The processor time of this thread.
    private static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
