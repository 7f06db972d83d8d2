import Bus
import DequeModule

/// What waits until the host has got more of what is on its way to it, in its order. A value.
///
/// Changes of entries wait by key, the latest value of each, so that they take no more room than the entries themselves.
struct Outbox {
    private enum Item {
        case frame([UInt8])
        /// The entries that have changed.
        case entries
    }

    /// The bytes of frames that may wait; entries have room in any case.
    static let maximumBytes = 64 << 20
    /// The bytes of the entries that are published together: so few hold less items than a reader takes, and are not on their way for
    /// long on a slow line, while the host hears nothing.
    private static let publishedSize = 128 << 10

    private var items = Deque<Item>()
    private var entries: [String: [UInt8]?] = [:]
    private var frameBytes = 0

    var isEmpty: Bool { items.isEmpty }

    func hasRoom(for count: Int) -> Bool { frameBytes + count <= Self.maximumBytes }

    mutating func append(_ frame: [UInt8]) {
        frameBytes += frame.count
        items.append(.frame(frame))
    }

    /// Sets or removes entries. They are published no later than in their order.
    mutating func publish(_ changes: [String: [UInt8]?]) {
        if entries.isEmpty { items.append(.entries) }
        entries.merge(changes) { $1 }
    }

    /// Takes what is next, if it fits.
    mutating func next(fitting fits: (Int) -> Bool) -> [UInt8]? {
        switch items.first {
        case nil: return nil
        case .frame(let bytes):
            guard fits(bytes.count) else { return nil }
            items.removeFirst()
            frameBytes -= bytes.count
            return bytes
        case .entries:
            items.removeFirst()
            // Spread over frames at once: what is set from now on follows them.
            for part in DependencyPayload.parts(of: entries, size: Self.publishedSize).reversed() {
                var frame = Frame(.publish)
                frame.payload = DependencyPayload.encode(part)[...]
                let bytes = frame.encoded()
                frameBytes += bytes.count
                items.prepend(.frame(bytes))
            }
            entries = [:]
            return next(fitting: fits)
        }
    }
}
