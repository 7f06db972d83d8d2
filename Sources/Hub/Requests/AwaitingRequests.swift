import Bus

/// The requests that wait for a peer that is expected to attach and handle them. It is a value: the caller passes in
/// the time.
///
/// A request that waits here is treated as if it had not been read yet: nothing of it is on record.
struct AwaitingRequests {
    struct Request {
        let kept: KeptFrame
        /// The link over which it came.
        let link: UInt64

        var frame: Frame { kept.frame }
        /// An upper bound for the size of its frame, in bytes.
        fileprivate var size: Int { frame.sizeBound }
    }

    /// The limits of what may wait at a time. Each peer has its share of them (`FairShare`).
    struct Limits {
        var count = 10_000
        var bytes = 64 << 20
    }

    private var requests = RequestsByDeadline<Request>()
    private var ids = WaitingIDs()
    /// How many requests of each link wait, and the bounds of their sizes in bytes.
    private var counts: SharedRoom<UInt64>
    private var sizes: SharedRoom<UInt64>

    init(limits: Limits = Limits()) {
        counts = SharedRoom(limit: limits.count)
        sizes = SharedRoom(limit: limits.bytes)
    }

    var count: Int { requests.count }
    var bytes: Int { sizes.used }

    /// When to call ``removeExpired(at:)`` next; `nil` when none waits.
    var nextEnd: MonotonicInstant? { requests.nextDeadline }

    /// Adds a request that waits.
    /// - Parameter end: when it stops waiting.
    /// - Returns: its id among the waiting requests; `nil` when the share of its link is used up.
    mutating func add(_ frame: Frame, of link: UInt64, until end: MonotonicInstant) -> UInt64? {
        let request = Request(kept: KeptFrame(frame), link: link)
        guard counts.allows(to: link), sizes.take(request.size, for: link) else { return nil }
        counts.add(for: link)
        let id = requests.add(request, deadline: end)
        ids.insert(id, frame.name, from: link, isPassedOn: frame.flags.contains(.passedOn))
        return id
    }

    @discardableResult
    mutating func remove(_ id: UInt64) -> Request? {
        guard let request = requests.remove(id) else { return nil }
        left(id, request)
        return request
    }

    /// Removes the requests that a peer may handle, as far as the peer has room for them. Their senders take turns, and
    /// the requests of each keep their order.
    /// - Parameters:
    ///   - last: the sender whose turn was last at this peer. It is set to the one whose turn is last now.
    ///   - count: the maximum number of requests.
    ///   - bytes: the maximum size of the requests together.
    ///   - takesAny: whether to remove one request whatever its size, because nothing is in flight to the peer.
    ///   - isNext: returns whether the peer is the one that would get a request.
    mutating func removeAll(
        for keys: Set<Substring>, after last: inout UInt64, count: Int = .max, bytes: UInt64 = .max,
        takesAny: Bool = false, where isNext: (Request) -> Bool = { _ in true }
    ) -> [Request] {
        var taken: [Request] = []
        var size: UInt64 = 0
        var turns = ids.turns(for: keys, after: last) { id in requests.waiter(id).map(isNext) ?? false }
        while taken.count < count, let (id, sender) = turns.next(), let request = requests.waiter(id) {
            size += UInt64(request.size)
            guard size <= bytes || takesAny && taken.isEmpty else { break }
            remove(id)
            taken.append(request)
            last = sender
        }
        return taken
    }

    /// Removes the requests whose waiting time is over, in order.
    mutating func removeExpired(at now: MonotonicInstant) -> [Request] {
        let expired = requests.removeExpired(at: now)
        for (id, request) in expired { left(id, request) }
        return expired.map(\.waiter)
    }

    /// Removes all requests, in order.
    mutating func removeAll() -> [Request] {
        ids = WaitingIDs()
        counts.giveBackAll()
        sizes.giveBackAll()
        return requests.removeAll()
    }

    private mutating func left(_ id: UInt64, _ request: Request) {
        counts.giveBack(of: request.link)
        sizes.giveBack(request.size, of: request.link)
        ids.remove(id)
    }
}
