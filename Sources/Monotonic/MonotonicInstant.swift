public import Glibc

/// A moment on the machine's monotonic clock, which also counts the time while the machine is suspended.
///
/// It measures the same time as `ContinuousClock.Instant`, in nanoseconds. That type has no fixed layout, so every
/// structure that holds one is copied by code that looks up its layout first: a tenth of the cost of a request.
/// Instants further away than 292 years are clamped.
@frozen public struct MonotonicInstant: Hashable, Comparable, Sendable {
    /// The time since the machine was booted, in nanoseconds.
    @usableFromInline let sinceBoot: Int64

    @inlinable init(sinceBoot: Int64) {
        self.sinceBoot = sinceBoot
    }

    /// The current time.
    @inlinable public static var now: MonotonicInstant {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return MonotonicInstant(sinceBoot: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    /// The time from another instant to this one, in nanoseconds. Unlike the difference as a `Duration`, it is one
    /// instruction.
    @inlinable public func nanoseconds(since start: MonotonicInstant) -> Int64 {
        let (difference, isOverflow) = sinceBoot.subtractingReportingOverflow(start.sinceBoot)
        return isOverflow ? (sinceBoot < 0 ? .min : .max) : difference
    }

    /// Returns the instant that is so many nanoseconds later.
    @inlinable public func advanced(byNanoseconds nanoseconds: Int64) -> MonotonicInstant {
        let (sum, isOverflow) = sinceBoot.addingReportingOverflow(nanoseconds)
        return MonotonicInstant(sinceBoot: isOverflow ? (nanoseconds < 0 ? .min : .max) : sum)
    }

    @inlinable public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.sinceBoot < right.sinceBoot
    }

    public static func + (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
        instant.advanced(byNanoseconds: duration.nanoseconds)
    }

    public static func - (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
        instant.advanced(byNanoseconds: -max(duration.nanoseconds, -.max))
    }

    /// The time from the right instant to the left one.
    @inlinable public static func - (end: MonotonicInstant, start: MonotonicInstant) -> Duration {
        .nanoseconds(end.nanoseconds(since: start))
    }

    @inlinable public static func += (instant: inout MonotonicInstant, duration: Duration) {
        instant = instant + duration
    }
}

extension Duration {
    /// The duration in nanoseconds, rounded toward zero and clamped.
    var nanoseconds: Int64 {
        // The usual case, without a division of 128 bits: less than 18 seconds.
        if let few = UInt64(exactly: attoseconds) { return Int64(few / 1_000_000_000) }
        return Int64(clamping: attoseconds / 1_000_000_000)
    }
}
