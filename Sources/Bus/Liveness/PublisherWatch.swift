/// Watches the flow from the host's publisher: a peer to which nothing arrives from it subscribes again, and gives the
/// link up when that did not help. It is a value: the caller passes in the time.
package struct PublisherWatch: Hashable, Sendable {
    package enum Finding: Hashable, Sendable {
        /// Nothing has arrived for too long. A new subscription may help: the flow may have died alone.
        case subscribeAgain
        /// Nothing has arrived even after the new subscription, for this long.
        case silent(Duration)
    }

    private var liveness: Liveness
    /// Whether a new subscription was made, and nothing has arrived since.
    private var hasSubscribedAgain = false

    /// - Parameter interval: the time between two beacons.
    package init(interval: Duration, now: MonotonicInstant) {
        liveness = Liveness(interval: interval, now: now)
    }

    /// Records that a frame has arrived from the publisher.
    package mutating func heard(at now: MonotonicInstant) {
        liveness.heard(at: now)
        hasSubscribedAgain = false
    }

    /// Checks whether the publisher has been silent for too long.
    /// - Returns: what follows; `nil` while frames arrive.
    package mutating func look(at now: MonotonicInstant) -> Finding? {
        guard let silent = liveness.look(at: now) else { return nil }
        guard !hasSubscribedAgain else { return .silent(silent) }
        hasSubscribedAgain = true
        liveness = Liveness(interval: liveness.interval, now: now)
        return .subscribeAgain
    }

    /// When to check next.
    package var nextLook: MonotonicInstant { liveness.nextLook }
}
