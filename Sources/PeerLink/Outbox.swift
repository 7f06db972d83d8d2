import Bus
import DequeModule

/// Frames and changed entries that wait, in order, until the host has received more of what is in flight. It is a
/// value.
///
/// Changed entries wait by key, with only the latest value of each. They never need more room than the entries
/// themselves.
struct Outbox {
    private enum Item {
        case frame([UInt8])
        /// A frame with entries that have changed.
        case published([UInt8])
        /// The entries that have changed.
        case entries
    }

    /// The maximum size of the waiting frames, in bytes. Entries always have room.
    static let maximumBytes = 64 << 20
    /// The size of the entries that are published together, in bytes. So few entries stay below a reader's limit of
    /// items. They also do not block a slow line for long, during which the host would receive nothing else.
    private static let publishedSize = 128 << 10

    private var items = Deque<Item>()
    private var entries: [String: [UInt8]?] = [:]
    private var frameBytes = 0
    /// How many publishes may be unanswered; `nil` for a host that answers none.
    private let maximumUnanswered: Int?
    /// The numbers of the last publish that was sent, and of the last one that was answered.
    private var (sent, answered): (UInt64, UInt64) = (0, 0)

    /// - Parameter maximumUnanswered: as the host's welcome says.
    init(maximumUnanswered: Int? = nil) { self.maximumUnanswered = maximumUnanswered.map { max(1, $0) } }

    var isEmpty: Bool { items.isEmpty }
    /// The number of waiting frames without entries, which are not lost with a link: the next one publishes them.
    var frameCount: Int {
        items.count {
            if case .frame = $0 { true } else { false }
        }
    }

    func hasRoom(for count: Int) -> Bool { frameBytes + count <= Self.maximumBytes }

    mutating func append(_ frame: [UInt8]) {
        frameBytes += frame.count
        items.append(.frame(frame))
    }

    /// Sets or removes entries. They may be published earlier than their order, but not later.
    mutating func publish(_ changes: [String: [UInt8]?]) {
        if entries.isEmpty { items.append(.entries) }
        entries.merge(changes) { $1 }
    }

    /// The host has answered a publish, and all before it.
    mutating func answered(_ number: UInt64) { answered = min(max(answered, number), sent) }

    /// Whether the host answers fast enough for one more publish.
    private var mayPublish: Bool { maximumUnanswered.map { sent - answered < UInt64($0) } ?? true }

    /// Removes and returns the next frame, if it fits.
    mutating func next(fitting fits: (Int) -> Bool) -> [UInt8]? {
        switch items.first {
        case nil: return nil
        case .frame(let bytes):
            guard fits(bytes.count) else { return nil }
            items.removeFirst()
            frameBytes -= bytes.count
            return bytes
        case .published(var bytes):
            guard mayPublish, fits(bytes.count) else { return nil }
            items.removeFirst()
            frameBytes -= bytes.count
            sent += 1
            if maximumUnanswered != nil { Frame.stamp(&bytes, publish: sent) }
            return bytes
        case .entries:
            // Until then, more of them can change.
            guard mayPublish else { return nil }
            items.removeFirst()
            // Split into frames at once, so that entries that are set from now on are queued behind them.
            for part in DependencyPayload.parts(
                of: entries, size: Self.publishedSize, count: Hello.maximumNames
            ).reversed() {
                var frame = Frame(.publish)
                frame.payload = DependencyPayload.encode(part)[...]
                let bytes = frame.encoded()
                frameBytes += bytes.count
                items.prepend(.published(bytes))
            }
            entries = [:]
            return next(fitting: fits)
        }
    }
}
