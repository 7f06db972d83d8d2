import ZeroMQ
import DequeModule

/// What ended links may have left unread on their connections. It is a value.
///
/// A peer that says hello again on a connection would otherwise get a new send window each time, while what it has not
/// read stays in libzmq's queue.
struct EndedLinks {
    /// How many bytes may be unread on a connection when a further link begins there.
    static let limit: UInt64 = 1 << 20
    /// More connections than a process has descriptors for.
    private static let maximumCount = 65_536

    private var bytes: [RoutingID: UInt64] = [:]
    private var order: Deque<RoutingID> = []
    private let maximumCount: Int

    init(maximumCount: Int = EndedLinks.maximumCount) {
        self.maximumCount = maximumCount
    }

    /// Notes the end of a link.
    /// - Parameter unread: the bytes that may be unread on its connection, those of earlier links included.
    mutating func add(_ connection: RoutingID, unread: UInt64) {
        guard bytes.updateValue(unread, forKey: connection) == nil else { return }
        order.append(connection)
        if order.count > maximumCount, let oldest = order.popFirst() { bytes[oldest] = nil }
    }

    /// Returns how many bytes may be unread on a connection.
    func unread(on connection: RoutingID) -> UInt64 { bytes[connection] ?? 0 }
}
