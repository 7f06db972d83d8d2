package import Monotonic

/// Reads a received message frame by frame.
@MainActor
package protocol MessageReader {
    /// Whether there are no more frames.
    var isAtEnd: Bool { get }
    /// Reads the next frame, and handles it. A handler of this process that need not wait begins before this returns.
    /// - Parameter now: the time. It is not that of the whole message, because handlers run in between.
    /// - Returns: `false` when there are no more frames, even if it is called again.
    mutating func readNext(at now: MonotonicInstant) -> Bool
}

extension MessageReader {
    /// Reads frames until the message ends, or some time has passed.
    /// - Returns: whether the message has been read to its end. If not, the rest is to be read after the loop had a turn,
    ///   and before the next message.
    package mutating func read(within limit: Duration) -> Bool {
        var now = MonotonicInstant.now
        let pause = now + limit
        while now < pause, readNext(at: now) { now = .now }
        return isAtEnd
    }
}
