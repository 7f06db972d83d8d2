/// Limits how many bytes one side of a link may have in flight to the other.
///
/// The other side reports in its heartbeats how much it has received. libzmq's own limit counts messages of any size.
/// The window is a value: the caller passes in the time.
package struct SendWindow: Hashable, Sendable {
    /// The standard size: room for two of the largest frames.
    package static let standard: UInt64 = 32 << 20
    /// The room beyond the window for small frames, such as replies.
    private static let reserve: UInt64 = 1 << 20
    /// How long nothing of what is in flight may arrive before the link counts as stuck.
    private static let patience = Duration.seconds(10)
    /// The same while reports may have arrived that are not handled yet, and the number of reports without progress that
    /// must have been handled by then.
    private static let patienceWithUnread = (time: Duration.seconds(70), reports: 3)

    /// The maximum number of bytes in flight.
    package let size: UInt64
    /// The bytes that were sent on the link.
    package private(set) var sent: UInt64 = 0
    /// The bytes that the other side reports to have received.
    package private(set) var arrived: UInt64 = 0
    /// When bytes last arrived, or were sent while nothing was in flight.
    private var progressed: MonotonicInstant?
    /// The number of reports since then, none of which showed progress.
    private var idleReports = 0

    package init(size: UInt64 = SendWindow.standard) {
        self.size = size
    }

    /// The number of bytes in flight.
    package var outstanding: UInt64 { sent - arrived }

    /// The number of bytes that fit into the window now.
    package var room: UInt64 { size - min(size, outstanding) }

    /// Returns whether a frame fits into the window. Any frame fits when nothing is in flight.
    package func hasRoom(for count: Int) -> Bool {
        outstanding == 0 || outstanding + UInt64(count) <= size
    }

    /// Returns whether a small frame fits, which may also use the room beyond the window.
    package func hasReserve(for count: Int) -> Bool {
        outstanding == 0 || outstanding + UInt64(count) <= size + Self.reserve
    }

    /// Records a frame that was sent.
    package mutating func sent(_ count: Int, at now: @autoclosure () -> MonotonicInstant) {
        if sent == arrived {
            progress(at: now())
            idleReports = 0
        }
        sent += UInt64(count)
    }

    /// Records how many bytes the other side reports to have received.
    /// - Returns: `false` when the number is impossible.
    package mutating func arrived(_ count: UInt64, at now: MonotonicInstant) -> Bool {
        guard count <= sent else { return false }
        guard count > arrived else {
            idleReports += 1
            return true
        }
        arrived = count
        progress(at: now)
        idleReports = 0
        return true
    }

    /// Restarts the time limit for progress. This process was stopped and has not yet read what arrived meanwhile.
    package mutating func stoodStill(at now: MonotonicInstant) { progress(at: now) }

    /// The later time counts, whatever the order of the calls.
    private mutating func progress(at now: MonotonicInstant) { progressed = progressed.map { max($0, now) } ?? now }

    /// Returns whether nothing has arrived at the other side for too long, although something is in flight.
    /// - Parameter mayBeUnread: whether reports of the other side may have arrived that are not handled yet.
    package func isStuck(at now: MonotonicInstant, mayBeUnread: Bool = false) -> Bool {
        guard outstanding > 0, let progressed else { return false }
        guard mayBeUnread else { return now - progressed > Self.patience }
        return now - progressed > Self.patienceWithUnread.time && idleReports >= Self.patienceWithUnread.reports
    }
}
