import Bus

/// Tells whether the hub has fallen behind with its work, from how late its timer fires.
///
/// While the hub is behind, attached peers come first. New workers and monitors are refused, and retry after growing
/// waits. It is a value: the caller passes in the time.
struct Backlog {
    private let heartbeat: Duration
    private var due: MonotonicInstant
    private var behindUntil: MonotonicInstant
    private var wasLate = false

    init(heartbeat: Duration, now: MonotonicInstant) {
        self.heartbeat = heartbeat
        due = now
        behindUntil = now
    }

    /// Handles a tick of the timer. One late tick is not enough to be behind: a hub that was stopped once has read what
    /// arrived meanwhile by the next tick.
    /// - Returns: whether the hub has stood still for more than a heartbeat.
    mutating func tick(at now: MonotonicInstant) -> Bool {
        let isLate = now - due > heartbeat / 4
        if isLate, wasLate { behindUntil = now + heartbeat / 2 }
        wasLate = isLate
        return now - due > heartbeat
    }

    func isBehind(at now: MonotonicInstant) -> Bool { now < behindUntil }

    /// Returns when the timer must fire next.
    mutating func nextTick(at now: MonotonicInstant) -> MonotonicInstant {
        due = now + heartbeat / 4
        return due
    }
}
