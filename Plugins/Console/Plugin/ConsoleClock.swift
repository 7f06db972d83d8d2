#if Console
    import Glibc
    import Monotonic

    /// The time, and the waiting for a later one. A test says both.
    struct ConsoleClock: Sendable {
        /// Returns the time of day, in seconds since 1970.
        var time: @Sendable () -> Double
        /// Returns the time by which durations are measured.
        var now: @Sendable () -> MonotonicInstant
        /// Waits, unless the task is cancelled.
        var sleep: @Sendable (Duration) async throws -> Void

        /// The machine's own.
        static let system = ConsoleClock(
            time: {
                var time = timespec()
                clock_gettime(CLOCK_REALTIME, &time)
                return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
            }, now: { .now }, sleep: { try await Task.sleep(for: $0) })
    }
#endif
