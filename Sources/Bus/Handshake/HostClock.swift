/// The host's monotonic clock, in microseconds.
///
/// Deadlines cross the bus in this clock, so that machines need not agree on the time of day.
///
/// A peer learns the clock from the host's replies to its hello and to each heartbeat. The slower the reply, the less
/// precisely the peer knows the clock, because the request or the reply may have waited for a process that was stopped.
/// For each deadline that it sends or receives, the peer assumes the latest possible time, so that no deadline expires
/// early.
package struct HostClock: Sendable {
    /// The earliest and the latest instant at which the clock may have shown ``offset``.
    private let earliest: MonotonicInstant
    private let latest: MonotonicInstant
    private let offset: UInt64

    /// Creates the host's own clock.
    package init(startedAt origin: MonotonicInstant) {
        earliest = origin
        latest = origin
        offset = 0
    }

    /// Creates a peer's estimate of the host's clock.
    /// - Parameters:
    ///   - clock: the clock in the host's reply.
    ///   - asked: when the request was sent. The clock showed that number then or later.
    ///   - received: when the reply arrived. The clock showed that number then or earlier.
    package init(clock: UInt64, asked: MonotonicInstant, received: MonotonicInstant) {
        earliest = asked
        latest = received
        offset = clock
    }

    /// The longest time for a reply to a heartbeat that corrects the clock.
    private static let slowReply = Duration.seconds(1)

    /// Creates a peer's estimate from the reply to a heartbeat.
    /// - Returns: `nil` if the reply was slow, because it is less precise than an earlier one.
    package init?(heartbeatReply clock: UInt64, asked: MonotonicInstant, received: MonotonicInstant) {
        guard received - asked < Self.slowReply else { return nil }
        self.init(clock: clock, asked: asked, received: received)
    }

    package func microseconds(at instant: MonotonicInstant) -> UInt64 {
        let since = instant.nanoseconds(since: earliest) / 1000
        // Clamped so that a clock value from the wire causes no overflow.
        return since < 0 ? offset - min(offset, UInt64(-since)) : offset + min(.max - offset, UInt64(since))
    }

    /// Returns the instant at which the host's clock shows this number of microseconds.
    package func instant(of microseconds: UInt64) -> MonotonicInstant {
        // Clamped: a number from the wire must not overflow the clock.
        let since = Int64(clamping: microseconds) - Int64(clamping: offset)
        return latest.advanced(byNanoseconds: max(-1 << 50, min(since, 1 << 50)) * 1000)
    }
}
