import Bus
import DequeModule

/// The requests of a peer that have not ended yet, from their creation to the end of their caller's wait. It is a value.
///
///     waiting > sent > (held) > gone
///     waiting > suspended > waiting
///     sent or held > waiting, when the link is lost
///
/// A request waits for the link, for a credit, for room in the send window, or for its session. When the link is lost,
/// a request that survives it waits for the next link ahead of all others, and is marked as a copy.
struct RequestQueue<Caller> {
    /// A request, with what is needed to send it.
    struct Request {
        var message: String
        var caller: Caller
        /// The session for which it is sent; empty for none.
        var session: String
        var deadline: MonotonicInstant
        /// Whether it is sent again on the next link when this one is lost.
        var survivesLink: Bool
        /// The encoded frame, for as long as it may still be sent. Its id and deadline are filled in then, and the token of
        /// its session if it has waited.
        var bytes: [UInt8]
        fileprivate var phase = Phase.waiting
        /// Whether it was sent on an earlier link.
        fileprivate(set) var isCopy = false

        init(
            message: String, caller: Caller, session: String = "", deadline: MonotonicInstant,
            survivesLink: Bool = false, bytes: [UInt8]
        ) {
            self.message = message
            self.caller = caller
            self.session = session
            self.deadline = deadline
            self.survivesLink = survivesLink
            self.bytes = bytes
        }

        /// Whether it was sent, on this link or an earlier one.
        var mayHaveBeenHandled: Bool { isOnItsWay || isCopy }

        /// Whether it was sent on this link, and has not ended.
        var isOnItsWay: Bool { phase == .sent || phase == .held }
    }

    fileprivate enum Phase {
        /// It waits for the link, for a credit or for room.
        case waiting
        /// Its session must not act.
        case suspended
        /// It was sent on this link, and its reply has not arrived.
        case sent
        /// Its reply has arrived, and refers to entries that this peer has not received yet.
        case held
    }

    private var requests = RequestsByDeadline<Request>()
    /// The ids of the waiting requests, in order. Some may have ended.
    private var waiting = Deque<UInt64>()
    /// The sessions that must not act, with the ids of the requests that wait for each, in order. Some may have ended.
    private var suspended: [String: Deque<UInt64>] = [:]
    /// The replies that have arrived too early, in order, and their size in bytes.
    private var heldEnds: [KeptFrame] = []
    private var heldBytes = 0
    /// The number of requests in flight on this link.
    private(set) var inFlight = 0
    /// The size in bytes of the requests that may still be sent: those that wait, and those that survive the link.
    private var keptBytes = 0
    /// How many requests have ended while they waited, since the last cleanup of the ids.
    private var endedWaiting = 0

    init() {}

    /// The number of requests that have not ended.
    var count: Int { requests.count }
    /// The number of requests that wait to be sent, also for their sessions.
    var unsentCount: Int { requests.count - inFlight }
    /// Whether any requests wait for the link, for a credit or for room, but not for their sessions. Some may have ended.
    var hasQueued: Bool { !waiting.isEmpty }
    var hasHeldEnds: Bool { !heldEnds.isEmpty }
    var nextDeadline: MonotonicInstant? { requests.nextDeadline }

    func isSuspended(_ session: String) -> Bool { suspended[session] != nil }

    /// Returns whether one more request of this size may be kept.
    func hasRoom(for bytes: Int, maximum: Int) -> Bool { keptBytes + bytes <= maximum }

    // MARK: - One request

    /// Adds a request that is sent at once. It overtakes only requests that wait for their sessions.
    mutating func addSent(_ request: consuming Request) -> UInt64 {
        request.phase = .sent
        if request.survivesLink { keptBytes += request.bytes.count } else { request.bytes = [] }
        inFlight += 1
        let deadline = request.deadline
        return requests.add(request, deadline: deadline)
    }

    /// Adds a request that waits; if its session must not act, it waits for the session.
    mutating func addWaiting(_ request: consuming Request) -> UInt64 {
        keptBytes += request.bytes.count
        let isSuspended = !request.session.isEmpty && suspended[request.session] != nil
        if isSuspended { request.phase = .suspended }
        let (session, deadline) = (request.session, request.deadline)
        let id = requests.add(request, deadline: deadline)
        if isSuspended { suspended[session]?.append(id) } else { waiting.append(id) }
        return id
    }

    /// Returns the next request to send, and marks it as sent.
    /// - Parameter fits: returns whether so many bytes may be sent now.
    /// - Returns: the request as it was before; `nil` when none waits, or the next one does not fit.
    mutating func next(fitting fits: (Int) -> Bool) -> (id: UInt64, request: Request)? {
        while let id = waiting.first {
            guard let request = requests.waiter(id) else {
                waiting.removeFirst()
                continue
            }
            // Its session was suspended while the request waited.
            if !request.session.isEmpty, suspended[request.session] != nil {
                waiting.removeFirst()
                requests.update(id) { $0.phase = .suspended }
                suspend(id, request.session)
                continue
            }
            guard fits(request.bytes.count) else { return nil }
            waiting.removeFirst()
            inFlight += 1
            if !request.survivesLink { keptBytes -= request.bytes.count }
            requests.update(id) {
                $0.phase = .sent
                if !$0.survivesLink { $0.bytes = [] }
            }
            return (id, request)
        }
        return nil
    }

    /// Removes a request.
    /// - Returns: the request; `nil` when it has ended already.
    mutating func remove(_ id: UInt64) -> Request? {
        guard let request = requests.remove(id) else { return nil }
        forget(request, id)
        return request
    }

    /// Removes the requests whose deadline has passed.
    mutating func removeExpired(at now: MonotonicInstant) -> [(id: UInt64, request: Request)] {
        requests.removeExpired(at: now).map { id, request in
            forget(request, id)
            return (id, request)
        }
    }

    private mutating func forget(_ request: Request, _ id: UInt64) {
        keptBytes -= request.bytes.count
        switch request.phase {
        case .sent: inFlight -= 1
        case .held:
            inFlight -= 1
            if let place = heldEnds.firstIndex(where: { $0.frame.id == id }) {
                heldBytes -= heldEnds.remove(at: place).frame.payload.count
            }
        case .waiting, .suspended: compact()
        }
    }

    /// Removes the ids of ended requests once there are many. Until then they are skipped: a search for each one would
    /// take quadratic time.
    private mutating func compact() {
        endedWaiting += 1
        guard endedWaiting > 64 else { return }
        endedWaiting = 0
        let places = suspended.values.reduce(waiting.count) { $0 + $1.count }
        guard places > 2 * unsentCount else { return }
        waiting.removeAll { requests.waiter($0) == nil }
        for session in suspended.keys { suspended[session]?.removeAll { requests.waiter($0) == nil } }
    }

    // MARK: - Replies that arrive too early

    /// Whether a request waits for this reply: it was sent on this link, and no reply to it is held.
    func awaits(_ end: Frame) -> Bool { requests.waiter(end.id)?.phase == .sent }

    /// Holds a reply that is awaited until ``releaseEnds(at:)``.
    /// - Parameter maximum: the maximum size of all held replies, in bytes.
    /// - Returns: `false` when that does not fit.
    mutating func hold(_ end: Frame, maximum: Int) -> Bool {
        guard heldBytes + end.payload.count <= maximum else { return false }
        requests.update(end.id) { $0.phase = .held }
        heldEnds.append(KeptFrame(end))
        heldBytes += end.payload.count
        return true
    }

    /// Returns the held replies that refer to this revision of the container or an earlier one, in order. Their requests
    /// await them again.
    mutating func releaseEnds(at revision: UInt64) -> [Frame] {
        let released = heldEnds.map(\.frame).filter { $0.revision <= revision }
        guard !released.isEmpty else { return [] }
        heldEnds.removeAll { $0.frame.revision <= revision }
        for end in released {
            heldBytes -= end.payload.count
            requests.update(end.id) { $0.phase = .sent }
        }
        return released
    }

    // MARK: - The link

    /// Handles the loss of the link. Requests that were not sent wait for the next link. Those that may be sent again
    /// wait ahead of them.
    /// - Returns: the requests that fail with the link.
    mutating func linkLost() -> [Request] {
        (heldEnds, heldBytes) = ([], 0)
        inFlight = 0
        let ended = requests.removeAll { $0.isOnItsWay && !$0.survivesLink }
        for id in requests.all(where: { $0.isOnItsWay }).reversed() {
            requests.update(id) {
                $0.phase = .waiting
                $0.isCopy = true
                // This tells the host that the outcome of this copy says nothing about the earlier one.
                Frame.stampCopy(&$0.bytes)
            }
            waiting.prepend(id)
        }
        return ended
    }

    /// Removes all requests.
    mutating func removeAll() -> [Request] {
        let all = requests.removeAll()
        self = RequestQueue(continuing: requests)
        return all
    }

    /// Creates an empty queue that continues the ids, which are never reused.
    private init(continuing requests: RequestsByDeadline<Request>) {
        self.requests = requests
    }

    // MARK: - Sessions

    /// Makes a request wait for its session. Later requests of the session may wait already: it may have been suspended
    /// with the loss of the link, before those that were on their way.
    private mutating func suspend(_ id: UInt64, _ session: String) {
        // The ids grow.
        let place = suspended[session]?.lastIndex { $0 < id }.map { $0 + 1 } ?? 0
        suspended[session]?.insert(id, at: place)
    }

    /// Suspends a session. Its requests wait.
    mutating func suspend(_ session: String) {
        if suspended[session] == nil { suspended[session] = [] }
    }

    /// Resumes a session. The requests that have waited for it are sent behind those that wait already.
    mutating func resume(_ session: String) {
        for id in suspended.removeValue(forKey: session) ?? [] where requests.waiter(id) != nil {
            requests.update(id) { $0.phase = .waiting }
            waiting.append(id)
        }
    }

    /// Removes a session that this peer no longer has.
    /// - Returns: its requests that wait, which fail.
    mutating func revoke(_ session: String) -> [Request] {
        suspended[session] = nil
        return requests.all { $0.session == session && !$0.isOnItsWay }.compactMap { remove($0) }
    }
}
