/// Reads a received message frame by frame.
///
/// It is an object, because reading goes on in another task when the handler of a request suspends.
@MainActor
package protocol MessageReader: AnyObject {
    /// Whether there are no more frames.
    var isAtEnd: Bool { get }
    /// Reads the next frame, and handles it.
    /// - Parameter now: the time. It is not that of the whole message, because handlers run in between.
    /// - Returns: `false` when there are no more frames, even if it is called again.
    func readNext(at now: MonotonicInstant) -> Bool
}
