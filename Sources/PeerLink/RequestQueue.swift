import Bus
import DequeModule

/// The requests of a peer that have no end yet, from the moment in which they are made to their reply. A value.
///
///     waiting > sent > (held) > gone
///     suspended > waiting
///
/// A request waits for the link, for a credit, for room on the way to the host, or for its session. One that may be sent again
/// waits for the next link when this one is lost, before all others, and is marked as a copy.
struct RequestQueue<Caller> {
    /// What a request needs to be sent.
    struct Request {
        var message: String
        var caller: Caller
        /// The session that it speaks for; empty for none.
        var session: String
        var deadline: ContinuousClock.Instant
        /// Whether it is sent again on the next link when this one is lost.
        var isResent: Bool
        /// The encoded frame, for as long as it may still be sent; but for its id, its deadline and its token.
        var bytes: [UInt8]
        fileprivate var phase = Phase.waiting
        /// It was sent on an earlier link.
        fileprivate(set) var isCopy = false

        init(
            message: String, caller: Caller, session: String = "", deadline: ContinuousClock.Instant,
            isResent: Bool = false, bytes: [UInt8]
        ) {
            self.message = message
            self.caller = caller
            self.session = session
            self.deadline = deadline
            self.isResent = isResent
            self.bytes = bytes
        }

        /// It was sent, on this link or an earlier one.
        var mayHaveBeenHandled: Bool { isOnItsWay || isCopy }

        /// It was sent on this link, and uses a credit of the host.
        var isOnItsWay: Bool { phase == .sent || phase == .held }
    }

    fileprivate enum Phase {
        /// It waits for the link, a credit or room.
        case waiting
        /// The session for which it speaks must not act.
        case suspended
        /// It is on its way on this link.
        case sent
        /// Its end has come, and speaks of entries that this peer has not got yet.
        case held
    }

    private var requests = PendingRequests<Request>()
    /// The ids of those that wait, in their order. Some may have ended.
    private var waiting = Deque<UInt64>()
    /// Sessions that must not act, with the ids of those that wait for each, in their order. Some may have ended.
    private var suspended: [String: Deque<UInt64>] = [:]
    /// The ends that have come too early, in their order.
    private var heldEnds: [Frame] = []
    /// How many were sent on this link.
    private(set) var inFlight = 0
    /// The bytes of those that wait.
    private var waitingBytes = 0
    /// How many have ended while they waited, since their ids were last looked for.
    private var endedWaiting = 0

    init() {}

    /// How many have no end yet.
    var count: Int { requests.count }
    var waitingCount: Int { requests.count - inFlight }
    /// Whether any wait for the link, a credit or room; some may have ended.
    var isWaiting: Bool { !waiting.isEmpty }
    var hasHeldEnds: Bool { !heldEnds.isEmpty }
    var nextDeadline: ContinuousClock.Instant? { requests.nextDeadline }

    subscript(id: UInt64) -> Request? { requests.waiter(id) }

    func isSuspended(_ session: String) -> Bool { suspended[session] != nil }

    /// Whether one more may wait.
    func hasRoom(for bytes: Int, count: Int, maximumBytes: Int) -> Bool {
        waitingCount < count && waitingBytes + bytes <= maximumBytes
    }

    // MARK: - One request

    /// A request that is sent at once. It is ahead of no other: none waits.
    mutating func addSent(_ request: Request) -> UInt64 {
        var request = request
        request.phase = .sent
        if !request.isResent { request.bytes = [] }
        inFlight += 1
        return requests.add(request, deadline: request.deadline)
    }

    /// A request that waits, for its session if that must not act.
    mutating func addWaiting(_ request: Request) -> UInt64 {
        var request = request
        waitingBytes += request.bytes.count
        let isSuspended = !request.session.isEmpty && suspended[request.session] != nil
        if isSuspended { request.phase = .suspended }
        let id = requests.add(request, deadline: request.deadline)
        if isSuspended { suspended[request.session]?.append(id) } else { waiting.append(id) }
        return id
    }

    /// The next one to send, which counts as sent from now on.
    /// - Parameter fits: whether so many bytes may be sent now.
    /// - Returns: `nil` when none waits, or the next one does not fit.
    mutating func next(fitting fits: (Int) -> Bool) -> (id: UInt64, request: Request)? {
        while let id = waiting.first {
            guard let request = requests.waiter(id) else {
                waiting.removeFirst()
                continue
            }
            guard fits(request.bytes.count) else { return nil }
            waiting.removeFirst()
            // Its session was suspended while it waited.
            if !request.session.isEmpty, suspended[request.session] != nil {
                requests.update(id) { $0.phase = .suspended }
                suspended[request.session]?.append(id)
                continue
            }
            waitingBytes -= request.bytes.count
            inFlight += 1
            requests.update(id) {
                $0.phase = .sent
                if !$0.isResent { $0.bytes = [] }
            }
            return (id, request)
        }
        return nil
    }

    /// Ends a request.
    /// - Returns: `nil` when it has ended already.
    mutating func remove(_ id: UInt64) -> Request? {
        guard let request = requests.remove(id) else { return nil }
        forget(request, id)
        return request
    }

    /// Ends the requests whose deadline has come.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [(id: UInt64, request: Request)] {
        requests.removeExpired(at: now).map { id, request in
            forget(request, id)
            return (id, request)
        }
    }

    private mutating func forget(_ request: Request, _ id: UInt64) {
        switch request.phase {
        case .sent: inFlight -= 1
        case .held:
            inFlight -= 1
            heldEnds.removeAll { $0.id == id }
        case .waiting, .suspended:
            waitingBytes -= request.bytes.count
            compact()
        }
    }

    /// Ids of requests that have ended are passed over when their turn comes: to look for each would take their square.
    private mutating func compact() {
        endedWaiting += 1
        guard endedWaiting > 64 else { return }
        endedWaiting = 0
        let places = suspended.values.reduce(waiting.count) { $0 + $1.count }
        guard places > 2 * waitingCount else { return }
        waiting.removeAll { requests.waiter($0) == nil }
        for session in suspended.keys { suspended[session]?.removeAll { requests.waiter($0) == nil } }
    }

    // MARK: - Ends that come too early

    /// Keeps the end of a request until ``releaseEnds()``.
    /// - Returns: `false` when nobody waits for it, or an end of it is kept already.
    mutating func hold(_ end: Frame) -> Bool {
        guard requests.waiter(end.id)?.phase == .sent else { return false }
        requests.update(end.id) { $0.phase = .held }
        heldEnds.append(end)
        return true
    }

    /// Hands over the ends that were kept. Each is either handled or kept again.
    mutating func releaseEnds() -> [Frame] {
        let ends = heldEnds
        heldEnds = []
        for end in ends { requests.update(end.id) { $0.phase = .sent } }
        return ends
    }

    // MARK: - The link

    /// The link is lost. Requests that were not sent wait on, for the next one; those that may be sent again do so before them.
    /// - Returns: those that end with the link.
    mutating func linkLost() -> [Request] {
        heldEnds = []
        inFlight = 0
        let ended = requests.removeAll { $0.isOnItsWay && !$0.isResent }
        for id in requests.all(where: { $0.isOnItsWay }).reversed() {
            requests.update(id) {
                $0.phase = .waiting
                $0.isCopy = true
                // The host knows then that what it says of this one is not true of the one before.
                Frame.stampCopy(&$0.bytes)
            }
            waitingBytes += requests.waiter(id)?.bytes.count ?? 0
            waiting.prepend(id)
        }
        return ended
    }

    /// Ends all.
    mutating func removeAll() -> [Request] {
        let all = requests.removeAll()
        self = RequestQueue(continuing: requests)
        return all
    }

    /// Ids are never used again.
    private init(continuing requests: PendingRequests<Request>) {
        self.requests = requests
    }

    // MARK: - Sessions

    /// A session must not act: its requests wait.
    mutating func suspend(_ session: String) {
        if suspended[session] == nil { suspended[session] = [] }
    }

    /// A session may act: what it had to say meanwhile is sent behind what waits already.
    mutating func resume(_ session: String) {
        for id in suspended.removeValue(forKey: session) ?? [] where requests.waiter(id) != nil {
            requests.update(id) { $0.phase = .waiting }
            waiting.append(id)
        }
    }

    /// A session is no more here.
    /// - Returns: what it still had to say, which ends.
    mutating func revoke(_ session: String) -> [Request] {
        (suspended.removeValue(forKey: session) ?? []).compactMap { remove($0) }
    }
}
