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

    /// The limits of what may wait at a time.
    struct Limits {
        var count = 10_000
        var bytes = 64 << 20
    }

    private let limits: Limits
    private var requests = RequestsByDeadline<Request>()
    private var ids = WaitingIDs()
    private(set) var bytes = 0

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    var count: Int { requests.count }

    /// When to call ``removeExpired(at:)`` next; `nil` when none waits.
    var nextEnd: MonotonicInstant? { requests.nextDeadline }

    /// Adds a request that waits.
    /// - Parameter end: when it stops waiting.
    /// - Returns: its id among the waiting requests; `nil` when too much waits already.
    mutating func add(_ frame: Frame, of link: UInt64, until end: MonotonicInstant) -> UInt64? {
        let request = Request(kept: KeptFrame(frame), link: link)
        guard count < limits.count, bytes + request.size <= limits.bytes else { return nil }
        bytes += request.size
        let id = requests.add(request, deadline: end)
        ids.insert(id, frame.name)
        return id
    }

    @discardableResult
    mutating func remove(_ id: UInt64) -> Request? {
        guard let request = requests.remove(id) else { return nil }
        left(id, request)
        return request
    }

    /// Removes the requests that a peer may handle, in order, as far as the peer has room for them.
    /// - Parameters:
    ///   - count: the maximum number of requests.
    ///   - bytes: the maximum size of the requests together.
    ///   - takesAny: whether to remove one request whatever its size, because nothing is in flight to the peer.
    ///   - isNext: returns whether the peer is the one that would get a request. For each message, only `count`
    ///     requests and a limited number of further ones are checked.
    mutating func removeAll(
        for keys: Set<Substring>, count: Int = .max, bytes: UInt64 = .max, takesAny: Bool = false,
        where isNext: (Request) -> Bool = { _ in true }
    ) -> [Request] {
        var taken: [Request] = []
        var size: UInt64 = 0
        for id in ids.candidates(for: keys, room: count) {
            guard taken.count < count, let request = requests.waiter(id) else { break }
            guard isNext(request) else { continue }
            size += UInt64(request.size)
            guard size <= bytes || takesAny && taken.isEmpty else { break }
            remove(id)
            taken.append(request)
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
        bytes = 0
        return requests.removeAll()
    }

    private mutating func left(_ id: UInt64, _ request: Request) {
        bytes -= request.size
        ids.remove(id, request.frame.name)
    }
}
