import DequeModule

/// Decides which connections to a host's sockets are kept, and for how long. It is a value: the caller passes in the
/// time and what is known of a connection, and closes the connections that it names.
///
/// A connection waits until its peer has a link and, at the publisher, has subscribed to something. The number of those
/// that wait is bounded, also for each process or machine, and none waits for longer than the patience.
struct ConnectionTable {
    /// A connection's descriptor, and what tells it from an earlier one with the same descriptor.
    struct ID: Hashable, Sendable {
        var descriptor: Int32
        /// The system's number of the socket, which is not used again.
        var cookie: UInt64
    }

    /// What happens to a connection that was accepted.
    struct Verdict: Equatable {
        var isKept: Bool
        /// A connection to close instead of this one, or besides it.
        var victim: ID?
    }

    /// How long a connection may be silent. A peer says hello as soon as it is connected; one that was told to wait does
    /// so again after 2 s at the most.
    let patience: Duration
    /// The number of connections to the publisher that a process or machine may have beyond two for each of its links.
    static let publisherReserve = 16

    private let maximumWaiting: Int
    /// Connections have lower descriptors than this.
    private let end: Int
    var connections: [Int32: Connection] = [:]
    /// The connections that wait, the longest first, and some that do not any more.
    private var order: Deque<(id: ID, since: MonotonicInstant)> = []
    private(set) var waiting = 0
    private var waitingOf: [Int: Int] = [:]
    /// The connections to the publisher, the oldest first.
    private var publishersOf: [Int: [ID]] = [:]
    private var linksOf: [Int: Int] = [:]
    private var openingRates = OpeningRates()
    private var failedHandshakes = FailedHandshakes()
    private(set) var counts = Counts()
    /// When a connection was refused or displaced last.
    private(set) var lastPressure: MonotonicInstant?

    init(_ budget: DescriptorBudget, patience: Duration = .seconds(10)) {
        self.patience = patience
        maximumWaiting = budget.waiting
        end = budget.limit - budget.reserve
    }

    /// The number of connections that a process or machine may have waiting.
    private var share: Int { maximumWaiting / 2 }

    // MARK: - Events

    /// Decides about a connection that was accepted.
    mutating func accepted(
        _ id: ID, of owner: Int, isPublisher: Bool, hasKeys: Bool = false, at now: MonotonicInstant
    ) -> Verdict {
        removeEnded(id.descriptor, at: now)
        if hasKeys, !failedHandshakes.mayBegin(owner, at: now) {
            counts.failsTooOften += 1
            lastPressure = now
            return Verdict(isKept: false)
        }
        // The system gives out the lowest number that is free.
        if Int(id.descriptor) >= end {
            counts.reserved += 1
            lastPressure = now
            return Verdict(isKept: false, victim: displace(at: now))
        }
        var victim: ID?
        let publisherShare = Self.publisherReserve + 2 * linksOf[owner, default: 0]
        if isPublisher, !openingRates.open(by: owner, share: publisherShare, at: now) {
            counts.tooOften += 1
            lastPressure = now
            return Verdict(isKept: false)
        }
        if isPublisher, let own = publishersOf[owner], own.count >= publisherShare {
            counts.beyondShare += 1
            lastPressure = now
            // Over the network one may be half open, because a firewall has dropped it. One that waits, or is the oldest,
            // is closed. Within the machine each is open, and those that are there stay.
            guard owner < 0 else { return Verdict(isKept: false) }
            let leaving = own.first { connections[$0.descriptor]?.since != nil } ?? own[0]
            victim = leaving
            remove(leaving.descriptor, at: now)
        } else if waitingOf[owner, default: 0] >= share {
            lastPressure = now
            victim = displace(of: owner, at: now)
        } else if waiting >= maximumWaiting {
            lastPressure = now
            victim = displace(at: now)
        }
        connections[id.descriptor] = Connection(
            cookie: id.cookie, owner: owner, isPublisher: isPublisher, isAdmitted: !hasKeys,
            allowance: SubscriptionAllowance(at: now))
        if isPublisher { publishersOf[owner, default: []].append(id) }
        wait(id, since: now)
        return Verdict(isKept: true, victim: victim)
    }

    /// Notes that a connection has ended.
    mutating func ended(_ id: ID, at now: MonotonicInstant) {
        if connections[id.descriptor]?.cookie == id.cookie { removeEnded(id.descriptor, at: now) }
    }

    /// Notes that a connection to the bus is closed because of what has arrived over it.
    mutating func broken(_ id: ID, by reason: Break, at now: MonotonicInstant) {
        counts.broken[reason, default: 0] += 1
        lastPressure = now
        if connections[id.descriptor]?.cookie == id.cookie { remove(id.descriptor, at: now) }
    }

    /// Notes that something was said over a connection that may wait on: a hello that was refused.
    /// - Returns: the connection, if it waits.
    @discardableResult
    mutating func heard(_ descriptor: Int32, at now: MonotonicInstant) -> ID? {
        guard let connection = connections[descriptor], connection.since != nil else { return nil }
        let id = ID(descriptor: descriptor, cookie: connection.cookie)
        wait(id, since: now)
        return id
    }

    /// Notes that a connection belongs to a link.
    mutating func linked(_ descriptor: Int32) -> ID? {
        guard let connection = connections[descriptor], !connection.isPublisher else { return nil }
        if connection.since != nil {
            endWait(descriptor)
            linksOf[connection.owner, default: 0] += 1
            if linksOf[connection.owner] == 1 { endWaitOfSubscribers(of: connection.owner) }
        }
        connections[descriptor]?.links += 1
        return ID(descriptor: descriptor, cookie: connection.cookie)
    }

    /// Notes that a connection's link has ended. The peer may say hello again.
    /// - Returns: whether the connection is still there, and has no link any more.
    @discardableResult
    mutating func unlinked(_ id: ID, at now: MonotonicInstant) -> Bool {
        guard let connection = connections[id.descriptor], connection.cookie == id.cookie, connection.links > 0 else {
            return false
        }
        connections[id.descriptor]?.links -= 1
        guard connection.links == 1 else { return false }
        endLink(of: connection.owner, at: now)
        wait(id, since: now)
        return true
    }

    /// Notes that so many bytes have arrived over a connection to the publisher.
    /// - Returns: whether they may be read.
    mutating func received(_ id: ID, bytes: Int, at now: MonotonicInstant) -> Bool {
        guard connections[id.descriptor]?.cookie == id.cookie else { return true }
        if connections[id.descriptor]?.allowance.take(bytes: bytes, at: now) == true { return true }
        counts.greedy += 1
        lastPressure = now
        remove(id.descriptor, at: now)
        return false
    }

    /// Notes a subscription, or its end.
    /// - Returns: the connection if it must be closed because it has subscribed to too much.
    mutating func subscribed(_ descriptor: Int32, to topic: [UInt8], isOn: Bool, at now: MonotonicInstant) -> ID? {
        guard let connection = connections[descriptor], connection.isPublisher else { return nil }
        guard isOn else {
            connections[descriptor]?.allowance.remove(topic)
            return nil
        }
        connections[descriptor]?.isSubscribed = true
        if linksOf[connection.owner] != nil { endWait(descriptor) }
        if connections[descriptor]?.allowance.add(topic) == true { return nil }
        counts.greedy += 1
        lastPressure = now
        remove(descriptor, at: now)
        return ID(descriptor: descriptor, cookie: connection.cookie)
    }

    /// Returns the connections over which nothing was said in time, which must be closed.
    /// - Parameters:
    ///   - time: what had arrived before this time has been read.
    ///   - isOpen: whether a connection is still open. libzmq closes some on its own.
    mutating func silent(at time: MonotonicInstant, isOpen: (ID) -> Bool) -> [ID] {
        var silent: [ID] = []
        while let first = order.first {
            if isWaiting(first) {
                guard time - first.since >= patience else { break }
                if isOpen(first.id) {
                    silent.append(first.id)
                    counts.silent += 1
                    remove(first.id.descriptor, at: time)
                } else {
                    removeEnded(first.id.descriptor, at: time)
                }
            }
            order.removeFirst()
        }
        return silent
    }

    /// The process or machine with the most connections that wait, their number, and one of them; `nil` if none waits.
    var greediest: (owner: Int, waiting: Int, example: ID)? {
        guard let most = waitingOf.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
            let first = order.first(where: { isWaiting($0) && connections[$0.id.descriptor]?.owner == most.key })
        else {
            return nil
        }
        return (most.key, most.value, first.id)
    }

    // MARK: - Those that wait

    private func isWaiting(_ entry: (id: ID, since: MonotonicInstant)) -> Bool {
        guard let connection = connections[entry.id.descriptor] else { return false }
        return connection.cookie == entry.id.cookie && connection.since == entry.since
    }

    private mutating func wait(_ id: ID, since now: MonotonicInstant) {
        guard let connection = connections[id.descriptor] else { return }
        if connection.since == nil {
            waiting += 1
            waitingOf[connection.owner, default: 0] += 1
        }
        connections[id.descriptor]?.since = now
        // A peer that says hello again and again must not make the queue grow.
        while let first = order.first, !isWaiting(first) { order.removeFirst() }
        if order.count > 4 * maximumWaiting + 64 { order = order.filter { isWaiting($0) } }
        order.append((id, now))
    }

    private mutating func endWait(_ descriptor: Int32) {
        guard let connection = connections[descriptor], connection.since != nil else { return }
        connections[descriptor]?.since = nil
        waiting -= 1
        Self.decrement(&waitingOf, connection.owner)
    }

    /// Removes the connection that waits for the longest time.
    /// - Parameter owner: the process or machine whose connection it must be; `nil` for any.
    private mutating func displace(of owner: Int? = nil, at now: MonotonicInstant) -> ID? {
        // Mostly it is the first one: the connections of a process that has too many are closed before others.
        let longest = order.first {
            isWaiting($0) && (owner == nil || connections[$0.id.descriptor]?.owner == owner)
        }
        guard let longest else { return nil }
        remove(longest.id.descriptor, at: now)
        counts.displaced += 1
        return longest.id
    }

    /// Ends the waiting of the subscribers of a process or machine that has got its first link.
    private mutating func endWaitOfSubscribers(of owner: Int) {
        for id in publishersOf[owner] ?? [] where connections[id.descriptor]?.isSubscribed == true {
            endWait(id.descriptor)
        }
    }

    /// Notes that a process or machine has a link less. With its last one, its subscribers begin to wait.
    private mutating func endLink(of owner: Int, at now: MonotonicInstant) {
        Self.decrement(&linksOf, owner)
        guard linksOf[owner] == nil else { return }
        for id in publishersOf[owner] ?? [] where connections[id.descriptor]?.since == nil { wait(id, since: now) }
    }

    /// Removes a connection that was not closed here.
    private mutating func removeEnded(_ descriptor: Int32, at now: MonotonicInstant) {
        if connections[descriptor]?.isAdmitted == false { counts.unfinished += 1 }
        remove(descriptor, at: now)
    }

    private mutating func remove(_ descriptor: Int32, at now: MonotonicInstant) {
        guard let connection = connections[descriptor] else { return }
        if !connection.isAdmitted { failedHandshakes.add(connection.owner, at: now) }
        if connection.isPublisher {
            publishersOf[connection.owner]?.removeAll { $0.descriptor == descriptor }
            if publishersOf[connection.owner]?.isEmpty == true { publishersOf[connection.owner] = nil }
        } else if connection.since == nil {
            endLink(of: connection.owner, at: now)
        }
        endWait(descriptor)
        connections[descriptor] = nil
    }

    private static func decrement(_ counts: inout [Int: Int], _ owner: Int) {
        guard let count = counts[owner] else { return }
        counts[owner] = count > 1 ? count - 1 : nil
    }
}
