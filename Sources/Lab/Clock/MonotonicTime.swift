import Glibc

/// The machine's monotonic clock, which all processes share.
package enum MonotonicTime {
    /// The nanoseconds since a moment that is the same for all processes of this machine until it reboots.
    package static var nanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
