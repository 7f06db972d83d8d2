import Bus
import DequeModule

/// The messages that have arrived before the link was ready.
///
/// What their handlers set could not be published yet, and their replies would overtake it.
struct MessagesBeforeReady {
    /// The maximum size of their payloads, in bytes.
    static let maximumSize = 4 * Frame.maximumSize

    private var frames = Deque<KeptFrame>()
    private var size = 0

    var count: Int { frames.count }

    /// - Returns: `false` when there is no room for it.
    mutating func add(_ frame: Frame, maximum: Int) -> Bool {
        guard frames.count < maximum, size + frame.payload.count <= Self.maximumSize else { return false }
        frames.append(KeptFrame(frame))
        size += frame.payload.count
        return true
    }

    /// Removes a request that its sender has cancelled.
    mutating func cancel(_ id: UInt64) {
        frames.removeAll { $0.frame.kind == .request && $0.frame.id == id }
        size = frames.reduce(0) { $0 + $1.frame.payload.count }
    }

    /// Removes and returns the message that has arrived first.
    mutating func popFirst() -> Frame? {
        guard let first = frames.popFirst()?.frame else { return nil }
        size -= first.payload.count
        return first
    }
}
