/// The time for which a worker may let its scenes act: as long as the host is sure to count it as alive.
///
/// The host takes a session from a worker that it has not heard for two and a half heartbeats. A lease ends two heartbeats after
/// the worker *sent* the last one that the host is known to have got, which is earlier, whatever was on its way between: so a
/// worker that is cut off suspends its scenes before they run elsewhere. A value with the time fed in.
package struct Lease: Hashable, Sendable {
    package let duration: Duration
    /// When it ends; `nil` before the first answer of the host.
    package private(set) var end: ContinuousClock.Instant?

    /// - Parameter interval: the time between two heartbeats.
    package init(interval: Duration) {
        duration = interval * 2
    }

    /// The host has answered what was sent then.
    package mutating func renew(sentAt sent: ContinuousClock.Instant) {
        end = max(end ?? sent + duration, sent + duration)
    }

    package func isOver(at now: ContinuousClock.Instant) -> Bool {
        end.map { now >= $0 } ?? true
    }
}
