package import Bus
import DequeModule

/// What is on its way between the hub and a peer, and what the hub keeps because of it. It is a value: the caller passes in
/// the time.
package struct HubLinkTraffic {
    /// A request of the peer that the router has not ended.
    struct RoutedRequest {
        /// Its id among the host's forwards, or among its awaiting requests.
        let id: UInt64
        /// The bytes that count against the peer because of the copy that is kept of it.
        let copied: Int
    }

    package var liveness: Liveness
    /// Whether the peer is attached: the hub has not removed the link.
    var isAttached = true
    /// Whether the peer gets nothing more: it is detached, or will be soon, because its connection is closed, its process has
    /// ended, or it does not read.
    package var isGone = false
    /// The number of the peer's requests without a reply. Each uses a credit.
    package private(set) var inFlight = 0
    /// The peer's requests among the host's forwards, by the ids that the peer gave them.
    private(set) var forwards: [UInt64: RoutedRequest] = [:]
    /// The peer's requests that wait for an expected handler, by the ids that the peer gave them.
    private(set) var awaiting: [UInt64: RoutedRequest] = [:]
    /// The requests of the host to the peer that have not ended, by their ids among the forwards.
    var handedOn: Set<UInt64> = []
    /// The bytes in flight to the peer, and the bytes received from it.
    var sendWindow = SendWindow()
    /// Shows whether the peer has read what it reports.
    var marks: ReadMarks
    var receivedBytes = ReceivedBytes()
    /// The frames that leave together with others of this turn.
    var outgoing: OutgoingFrames
    /// Whether libzmq's queue to the peer was full when frames were sent last. A peer that does not read could otherwise
    /// make the host collect frames without end, whatever it reports to have received.
    var isFull = false
    /// What the host keeps because of the peer.
    package var account = PeerAccount()
    /// The sizes of the peer's large requests without a reply, which are kept in memory until their reply.
    private var large: [UInt64: Int] = [:]
    /// The peer's requests that were sent before, on an earlier link. The outcome of such a copy says nothing about the
    /// earlier request.
    private var copies: Set<UInt64> = []

    /// The replies that wait for the window.
    private var held = Deque<(kind: FrameKind, bytes: [UInt8])>()

    init(accepting batch: Int?, liveness: Liveness, unread: UInt64) {
        outgoing = OutgoingFrames(accepted: batch)
        self.liveness = liveness
        marks = ReadMarks(earlier: unread)
    }

    /// The number of held replies.
    var heldCount: Int { held.count }

    /// Whether a reply of this size must wait behind others. A small one need not.
    func isHolding(_ count: Int) -> Bool { !held.isEmpty && count > Self.smallSize }

    /// Holds a reply for which there is no room in the window.
    /// - Returns: `false` when too much is held already.
    mutating func hold(_ bytes: [UInt8], _ kind: FrameKind) -> Bool {
        guard account.keep(bytes.count, for: .replies) else { return false }
        held.append((kind, bytes))
        return true
    }

    /// The next held reply, if there is room for it.
    var nextHeld: (kind: FrameKind, bytes: [UInt8])? {
        held.first.flatMap { sendWindow.hasRoom(for: $0.bytes.count) ? $0 : nil }
    }

    mutating func removeHeld() { account.release(held.removeFirst().bytes.count, for: .replies) }

    /// The minimum size of a large request, in bytes. Of smaller ones only the copies count.
    private static let largeSize = 64 << 10
    /// A smaller frame may use the room beyond the window.
    private static let smallSize = 4 << 10

    /// Returns whether one more frame may be sent to the peer.
    func hasRoom(for count: Int, _ kind: FrameKind) -> Bool {
        switch kind {
        // Other work waits for these frames.
        case .reply, .failure, .cancel, .heartbeat, .welcome, .goodbye, .publish:
            count <= Self.smallSize ? sendWindow.hasReserve(for: count) : sendWindow.hasRoom(for: count)
        // Large ones must not take the room for which a large reply waits.
        case .request, .post: (held.isEmpty || count <= Self.smallSize) && sendWindow.hasRoom(for: count)
        default: sendWindow.hasRoom(for: count)
        }
    }

    /// Uses a credit for a request until it has ended.
    /// - Returns: `false` when the peer's unanswered requests are too large together.
    mutating func begin(_ request: Frame) -> Bool {
        let size = request.payload.count
        if size >= Self.largeSize {
            let kept = account[.requests]
            guard kept == 0 || kept + size <= Int(SendWindow.standard), account.keep(size, for: .requests) else {
                return false
            }
            large[request.id] = size
        }
        takeCredit(for: request)
        return true
    }

    /// The minimum size of a request whose copy counts, in bytes. For smaller ones the credits are limit enough.
    private static let copiedSize = 1 << 10

    /// Counts the copy of a request that is kept until the request has ended. A large request counts already.
    /// - Returns: how many bytes count; `nil` when the peer's unanswered requests are too large together.
    mutating func keepCopy(of request: Frame) -> Int? {
        let size = request.payload.count
        guard size >= Self.copiedSize, size < Self.largeSize else { return 0 }
        guard account[.requests] + size <= Int(SendWindow.standard), account.keep(size, for: .requests) else {
            return nil
        }
        return size
    }

    /// Notes that a request is among the host's forwards.
    mutating func addForward(_ request: UInt64, as id: UInt64, copied: Int) {
        forwards[request] = RoutedRequest(id: id, copied: copied)
    }

    /// Removes a request that is no longer among the host's forwards.
    /// - Returns: the id that it had there.
    @discardableResult
    mutating func removeForward(_ request: UInt64) -> UInt64? { release(forwards.removeValue(forKey: request)) }

    /// Removes all requests among the host's forwards.
    /// - Returns: the ids that they had there, in order.
    mutating func removeForwards() -> [UInt64] {
        defer { forwards = [:] }
        return forwards.values.compactMap { release($0) }.sorted()
    }

    /// Notes that a request waits for an expected handler.
    mutating func addAwaiting(_ request: UInt64, as id: UInt64, copied: Int) {
        awaiting[request] = RoutedRequest(id: id, copied: copied)
    }

    /// Removes a request that waits no longer.
    /// - Returns: the id that it had among the awaiting requests.
    @discardableResult
    mutating func removeAwaiting(_ request: UInt64) -> UInt64? { release(awaiting.removeValue(forKey: request)) }

    /// Removes all requests that wait.
    /// - Returns: the ids that they had among the awaiting requests.
    mutating func removeAllAwaiting() -> [UInt64] {
        defer { awaiting = [:] }
        return awaiting.values.compactMap { release($0) }
    }

    private mutating func release(_ request: RoutedRequest?) -> UInt64? {
        guard let request else { return nil }
        if request.copied > 0 { account.release(request.copied, for: .requests) }
        return request.id
    }

    /// Uses a credit for a request that is refused at once, whatever its size.
    mutating func takeCredit(for request: Frame) {
        if request.flags.contains(.copy) { copies.insert(request.id) }
        inFlight += 1
    }

    /// Releases the credit of a request of the peer that has ended.
    /// - Returns: whether the request was a copy of one that was sent before.
    @discardableResult
    mutating func releaseCredit(of id: UInt64) -> Bool {
        inFlight -= 1
        if !large.isEmpty, let size = large.removeValue(forKey: id) { account.release(size, for: .requests) }
        return !copies.isEmpty && copies.remove(id) != nil
    }
}
