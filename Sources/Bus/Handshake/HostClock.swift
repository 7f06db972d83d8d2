/// Microseconds on the host's monotonic clock: the one clock in which deadlines cross the bus, so that no two machines need
/// agree on the time of day.
package struct HostClock: Sendable {
    private let origin: ContinuousClock.Instant
    private let offset: UInt64
    /// The longest time that is told: its microseconds fit into 63 bits.
    private static let ages = Duration.seconds(1 << 43)
    private static let agesAgo = Duration.seconds(-1 << 43)

    /// The host's own clock.
    package init(startedAt origin: ContinuousClock.Instant) {
        self.origin = origin
        offset = 0
    }

    /// A peer's idea of the host's clock.
    /// - Parameters:
    ///   - clock: what the welcome said.
    ///   - sent: when the hello was sent. The welcome took at most the time since then; half of it is the best guess.
    package init(clock: UInt64, helloSent sent: ContinuousClock.Instant, received: ContinuousClock.Instant) {
        origin = sent + (received - sent) / 2
        offset = clock
    }

    package func microseconds(at instant: ContinuousClock.Instant) -> UInt64 {
        // Bounded: neither a timeout of ages nor a clock from the wire may overflow.
        let (seconds, attoseconds) = min(max(instant - origin, Self.agesAgo), Self.ages).components
        let since = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        return since < 0 ? offset - min(offset, UInt64(-since)) : offset + min(.max - offset, UInt64(since))
    }

    /// The instant at which the host's clock shows a number.
    package func instant(of microseconds: UInt64) -> ContinuousClock.Instant {
        // Bounded: a number from the wire must not overflow the clock.
        let since = Int64(clamping: microseconds) - Int64(clamping: offset)
        return origin + .microseconds(max(-1 << 50, min(since, 1 << 50)))
    }
}
