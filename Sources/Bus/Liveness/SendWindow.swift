/// How many bytes one side of a link may have on their way to the other, which says with its heartbeats what it has got. libzmq's
/// own bound counts messages, of whatever size. A value with the time fed in.
package struct SendWindow: Hashable, Sendable {
    /// What may be on its way: room for two of the largest frames.
    package static let standard: UInt64 = 32 << 20
    /// What small frames, such as answers and ends, may take beyond the window.
    private static let reserve: UInt64 = 1 << 20
    /// For how long nothing of what is on its way may arrive.
    private static let patience = Duration.seconds(10)
    /// What times are counted from: an instant's type has no fixed layout, and would cost each copy of a window a look at it.
    private static let origin = ContinuousClock.now

    /// Bytes that may be on their way.
    package let size: UInt64
    private var sent: UInt64 = 0
    private var arrived: UInt64 = 0
    /// When something arrived last, or was sent while nothing was on its way; after ``origin``.
    private var progressed: Duration?

    package init(size: UInt64 = SendWindow.standard) {
        self.size = size
    }

    /// Bytes that are on their way.
    package var outstanding: UInt64 { sent - arrived }

    /// Bytes that fit into the window now.
    package var room: UInt64 { size - min(size, outstanding) }

    /// Whether a frame fits into the window. Something always does when nothing is on its way.
    package func hasRoom(for count: Int) -> Bool {
        outstanding == 0 || outstanding + UInt64(count) <= size
    }

    /// Whether a small frame fits, for which there is some room beyond the window.
    package func hasReserve(for count: Int) -> Bool {
        outstanding == 0 || outstanding + UInt64(count) <= size + Self.reserve
    }

    /// A frame is on its way.
    package mutating func sent(_ count: Int, at now: @autoclosure () -> ContinuousClock.Instant) {
        if sent == arrived { progressed = now() - Self.origin }
        sent += UInt64(count)
    }

    /// The other side has said how many bytes it has got.
    /// - Returns: `false` when that cannot be.
    package mutating func arrived(_ count: UInt64, at now: ContinuousClock.Instant) -> Bool {
        guard count <= sent else { return false }
        guard count > arrived else { return true }
        arrived = count
        progressed = now - Self.origin
        return true
    }

    /// This side has stood still itself, and has not read yet what came meanwhile.
    package mutating func stoodStill(at now: ContinuousClock.Instant) { progressed = now - Self.origin }

    /// Whether the other side has got nothing for too long, though there is something for it.
    package func isStuck(at now: ContinuousClock.Instant) -> Bool {
        guard outstanding > 0, let progressed else { return false }
        return now - Self.origin - progressed > Self.patience
    }
}

/// Counts what a side has got over the bus on a link, and says when to tell the other.
package struct ReceivedBytes: Hashable, Sendable {
    /// The bytes of all frames so far.
    package private(set) var count: UInt64 = 0
    private var told: UInt64 = 0

    package init() {}

    /// A frame has come.
    /// - Returns: whether to tell the other side now, because a quarter of its window has come since it was told.
    package mutating func received(_ bytes: Int) -> Bool {
        count += UInt64(bytes)
        return count - told >= SendWindow.standard / 4
    }

    /// The other side is told.
    package mutating func tell() -> UInt64 {
        told = count
        return count
    }
}
