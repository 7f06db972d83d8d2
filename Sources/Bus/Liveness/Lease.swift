/// The time for which a worker may let its scenes act. During this time the host is certain to consider the worker
/// alive.
///
/// The host takes a session away from a worker after two and a half heartbeat intervals without a frame from it. A
/// lease ends two intervals after the worker *sent* the last heartbeat that the host is known to have received. That is
/// earlier, however long the frames were in transit. A worker that is cut off therefore suspends its scenes before they
/// run elsewhere.
///
/// The lease is a value: the caller passes in the time.
package struct Lease: Hashable, Sendable {
    package let duration: Duration
    /// When the lease ends; `nil` before the host's first reply.
    package private(set) var end: MonotonicInstant?

    /// - Parameter interval: the time between two heartbeats.
    package init(interval: Duration) {
        duration = interval * 2
    }

    /// Extends the lease after the host's reply to a frame that was sent at this time.
    package mutating func renew(sentAt sent: MonotonicInstant) {
        end = max(end ?? sent + duration, sent + duration)
    }

    package func isOver(at now: MonotonicInstant) -> Bool {
        end.map { now >= $0 } ?? true
    }
}
