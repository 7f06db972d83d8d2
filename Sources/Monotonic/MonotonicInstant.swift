public import Glibc

/// A moment on the machine's monotonic clock, which also counts the time while the machine is suspended.
///
/// It measures the same time as `ContinuousClock.Instant`. That type has no fixed layout, so every structure that holds
/// one is copied by code that looks up its layout first: a tenth of the cost of a request.
@frozen public struct MonotonicInstant: Hashable, Comparable, Sendable {
    /// The time since the machine was booted.
    @usableFromInline let sinceBoot: Duration

    @inlinable init(sinceBoot: Duration) {
        self.sinceBoot = sinceBoot
    }

    /// The current time.
    @inlinable public static var now: MonotonicInstant {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return MonotonicInstant(
            sinceBoot: Duration(
                secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000))
    }

    @inlinable public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.sinceBoot < right.sinceBoot
    }

    @inlinable public static func + (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
        MonotonicInstant(sinceBoot: instant.sinceBoot + duration)
    }

    @inlinable public static func - (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
        MonotonicInstant(sinceBoot: instant.sinceBoot - duration)
    }

    /// The time from the right instant to the left one.
    @inlinable public static func - (end: MonotonicInstant, start: MonotonicInstant) -> Duration {
        end.sinceBoot - start.sinceBoot
    }

    @inlinable public static func += (instant: inout MonotonicInstant, duration: Duration) {
        instant = instant + duration
    }
}
