import Monotonic

/// How long a turn of the loop spends on one thing while others may wait.
@MainActor
package enum TurnLimits {
    /// How long a source handles events. A small message may need much work.
    static private(set) var source = Duration.milliseconds(10)
    /// How long one message is read. It may have 128 requests, and heartbeats and replies do not wait for the handlers
    /// of all of them.
    package static private(set) var message = Duration.milliseconds(2)
    /// How long a source collects replies before they are sent: the replies to a message must not wait for all others.
    static private(set) var flush = Duration.milliseconds(1)

    /// Makes the limits longer in a process that a profiler slows down, so that its turns do as much as without the
    /// profiler.
    package static func stretch(by factor: Int) {
        source *= factor
        message *= factor
        flush *= factor
    }
}
