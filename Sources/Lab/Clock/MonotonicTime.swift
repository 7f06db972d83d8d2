import Glibc

/// The machine's monotonic clock, which all of its processes share.
package enum MonotonicTime {
    /// Nanoseconds since a moment that is the same for every process of this machine, until it is started again.
    package static var nanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
