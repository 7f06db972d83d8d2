import Bus

/// The requests that wait for a peer which is expected to attach and handle them. They are as good as not read yet: nothing of
/// them is on record. A value: the time is fed in.
struct AwaitingRequests {
    struct Request {
        let frame: Frame
        /// The link over which it came.
        let link: UInt64

        /// The bytes of its frame, at most.
        fileprivate var size: Int { frame.sizeBound }
    }

    /// What may wait at a time.
    struct Limits {
        var count = 10_000
        var bytes = 64 << 20
    }

    /// Requests that are looked at beyond those that are taken: to look at all with each reply would take the longer the more wait.
    private static let spare = 256

    private let limits: Limits
    private var requests = PendingRequests<Request>()
    private var ids = WaitingIDs()
    private(set) var bytes = 0

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    var count: Int { requests.count }

    /// When to call ``removeExpired(at:)`` next; `nil` when none waits.
    var nextEnd: ContinuousClock.Instant? { requests.nextDeadline }

    /// Lets a request wait.
    /// - Parameter end: until when.
    /// - Returns: its id among these; `nil` when too much waits already.
    mutating func add(_ frame: Frame, of link: UInt64, until end: ContinuousClock.Instant) -> UInt64? {
        let request = Request(frame: frame, link: link)
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

    /// Takes those that a peer may handle, in their order, as far as it has room for them.
    /// - Parameters:
    ///   - count: how many it takes at most.
    ///   - bytes: how many bytes they may have together.
    ///   - takesAny: take one whatever it has: nothing is on its way to the peer.
    ///   - isNext: whether the peer is the one that would get a request; of each message some more than `count` are looked at.
    mutating func removeAll(
        for keys: Set<Substring>, count: Int = .max, bytes: UInt64 = .max, takesAny: Bool = false,
        where isNext: (Request) -> Bool = { _ in true }
    ) -> [Request] {
        var taken: [Request] = []
        var size: UInt64 = 0
        for id in ids.ids(for: keys, first: count + min(Self.spare, .max - count)) {
            guard taken.count < count, let request = requests.waiter(id) else { break }
            guard isNext(request) else { continue }
            size += UInt64(request.size)
            guard size <= bytes || takesAny && taken.isEmpty else { break }
            remove(id)
            taken.append(request)
        }
        return taken
    }

    /// Takes those whose time is over, in their order.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Request] {
        let expired = requests.removeExpired(at: now)
        for (id, request) in expired { left(id, request) }
        return expired.map(\.waiter)
    }

    /// Takes all, in their order.
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
