package import Bus
import DequeModule
import ZeroMQ

/// A peer that is attached to a hub.
@MainActor
package final class HubLink {
    /// Names the link in the host's life.
    package let id: UInt64
    let routingID: RoutingID
    package let hello: Hello
    /// The entries that it may set.
    package let provides: Set<String>
    package var liveness: Liveness
    /// Its copy of the container is complete as soon as it has read what was sent: what is sent to it now finds its dependencies there.
    var isSynchronized = false
    /// The snapshot whose parts it asks for; `nil` between two.
    var snapshot: Snapshot?
    /// The part of it for which there was no room in the window.
    var unsentPart: UInt64?
    /// The revision from which it has asked for a snapshot that it gets when it is its turn.
    var waitsForSnapshot: UInt64?
    /// Detaches the link of a process that has ended, when what it had sent before has been read.
    var end: LoopTimer?
    /// Its connection is closed: it has ended, or attaches anew. Which of the two shows soon.
    package var isGone = false
    /// How many of its requests have no end yet. Each takes a credit.
    package private(set) var inFlight = 0
    /// Where they are among the forwards of the host, by the peer's ids, as far as they were handed on.
    var forwards: [UInt64: UInt64] = [:]
    /// Those that wait for a peer which handles them, by the peer's ids: where they are among the awaiting ones of the host.
    var awaiting: [UInt64: UInt64] = [:]
    /// What it handles, as waiting requests are found by.
    private(set) lazy var handled = WaitingIDs.keys(of: hello)
    /// Requests of the host that it takes at a time.
    var credits: Int { max(1, hello.credits ?? .max) }
    /// What it says that it has dropped, by reason.
    package var drops: [String: UInt64] = [:]
    /// Requests that the host has sent to it and that have no end yet, by their ids among the forwards.
    var handedOn: Set<UInt64> = []
    package var pending: Int { handedOn.count }
    /// Bytes on their way to it, and what has come from it.
    // Not looked at for overlapping accesses, with each message: they call nobody.
    @exclusivity(unchecked) var sendWindow = SendWindow()
    @exclusivity(unchecked) var receivedBytes = ReceivedBytes()
    /// Its large requests that have no end yet, with their bytes: they are kept until then.
    private var large: [UInt64: Int] = [:]
    private var largeBytes = 0
    /// Its requests that were sent before, on an earlier link: what becomes of these says nothing of those.
    private var copies: Set<UInt64> = []

    init(id: UInt64, routingID: RoutingID, hello: Hello, liveness: Liveness) {
        self.id = id
        self.routingID = routingID
        self.hello = hello
        provides = Set(hello.provides)
        self.liveness = liveness
    }

    /// The peer's name, for people.
    package var name: String { hello.peer }

    // MARK: - Bytes

    /// The bytes of ends that may wait until it has read others.
    private static let maximumHeld = 64 << 20
    /// The ends of its requests that wait for the window, without their payloads, and their bytes.
    private var held = Deque<(end: Frame, bytes: [UInt8])>()
    private var heldBytes = 0

    /// Whether an end of so many bytes waits behind others; a small one does not.
    func isHolding(_ count: Int) -> Bool { !held.isEmpty && count > Self.smallSize }

    /// Keeps the end of a request for which there is no room on the way.
    /// - Returns: `false` when too much waits already.
    func hold(_ bytes: [UInt8], of end: Frame) -> Bool {
        guard heldBytes + bytes.count <= Self.maximumHeld else { return false }
        var end = end
        end.payload = []
        held.append((end, bytes))
        heldBytes += bytes.count
        return true
    }

    /// The next end that waits, if there is room for it.
    var nextHeld: (end: Frame, bytes: [UInt8])? {
        held.first.flatMap { sendWindow.hasRoom(for: $0.bytes.count) ? $0 : nil }
    }

    func removeHeld() { heldBytes -= held.removeFirst().bytes.count }

    /// A request that has fewer bytes is bounded by the credits.
    private static let largeSize = 64 << 10
    /// A frame that has fewer bytes may take of the room beyond the window.
    private static let smallSize = 4 << 10

    /// Whether it may be sent one more frame.
    func hasRoom(for count: Int, _ kind: FrameKind) -> Bool {
        switch kind {
        // Others wait for these.
        case .reply, .failure, .cancel, .heartbeat, .welcome, .goodbye:
            count <= Self.smallSize ? sendWindow.hasReserve(for: count) : sendWindow.hasRoom(for: count)
        default: sendWindow.hasRoom(for: count)
        }
    }

    /// Takes a credit for a request, until it has ended.
    /// - Returns: `false` when its requests have too many bytes together.
    func begin(_ request: Frame) -> Bool {
        let size = request.payload.count
        if size >= Self.largeSize {
            guard largeBytes == 0 || largeBytes + size <= Int(SendWindow.standard) else { return false }
            large[request.id] = size
            largeBytes += size
        }
        takeCredit(for: request)
        return true
    }

    /// Takes a credit for a request that is refused at once, however large it is.
    func takeCredit(for request: Frame) {
        if request.flags.contains(.copy) { copies.insert(request.id) }
        inFlight += 1
    }

    /// One of its requests has ended: gives its credit back.
    /// - Returns: whether it was a copy of one that was sent before.
    @discardableResult
    func ended(_ id: UInt64) -> Bool {
        inFlight -= 1
        if largeBytes > 0, let size = large.removeValue(forKey: id) { largeBytes -= size }
        return !copies.isEmpty && copies.remove(id) != nil
    }
}
