/// Microseconds on the host's monotonic clock: the one clock in which deadlines cross the bus, so that no two machines need
/// agree on the time of day.
///
/// A peer knows it only as well as the host's answer was fast: that, or the question, may have waited for a process that stood still.
/// It asks with its hello and with each heartbeat, and takes what is later, for what it sends and for what it gets, so that no deadline is over before its time.
package struct HostClock: Sendable {
    /// When the clock showed ``offset`` at the earliest, and at the latest.
    private let earliest: ContinuousClock.Instant
    private let latest: ContinuousClock.Instant
    private let offset: UInt64
    /// The longest time that is told: its microseconds fit into 63 bits.
    private static let ages = Duration.seconds(1 << 43)
    private static let agesAgo = Duration.seconds(-1 << 43)

    /// The host's own clock.
    package init(startedAt origin: ContinuousClock.Instant) {
        earliest = origin
        latest = origin
        offset = 0
    }

    /// A peer's idea of the host's clock.
    /// - Parameters:
    ///   - clock: what the host has answered.
    ///   - asked: when the question was sent: the clock showed that number then or later.
    ///   - received: when the answer came: the clock showed it then or earlier.
    package init(clock: UInt64, asked: ContinuousClock.Instant, received: ContinuousClock.Instant) {
        earliest = asked
        latest = received
        offset = clock
    }

    package func microseconds(at instant: ContinuousClock.Instant) -> UInt64 {
        // Bounded: neither a timeout of ages nor a clock from the wire may overflow.
        let (seconds, attoseconds) = min(max(instant - earliest, Self.agesAgo), Self.ages).components
        let since = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        return since < 0 ? offset - min(offset, UInt64(-since)) : offset + min(.max - offset, UInt64(since))
    }

    /// The instant at which the host's clock shows a number.
    package func instant(of microseconds: UInt64) -> ContinuousClock.Instant {
        // Bounded: a number from the wire must not overflow the clock.
        let since = Int64(clamping: microseconds) - Int64(clamping: offset)
        return latest + .microseconds(max(-1 << 50, min(since, 1 << 50)))
    }
}
