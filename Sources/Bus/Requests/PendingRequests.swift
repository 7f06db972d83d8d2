/// The requests of one side that wait for their end, and when each stops waiting.
///
/// A value: the caller feeds it the time. Each request leaves it exactly once.
package struct PendingRequests<Waiter> {
    private struct Pending {
        var waiter: Waiter
        var deadline: ContinuousClock.Instant
    }

    private var pending: [UInt64: Pending] = [:]
    private var nextID: UInt64 = 1
    /// No pending deadline is earlier; it may be that none is as early.
    private var earliest: ContinuousClock.Instant?

    package init() {}

    package var count: Int { pending.count }

    /// Adds a request.
    /// - Returns: its id, unique for this side of the link.
    package mutating func add(_ waiter: Waiter, deadline: ContinuousClock.Instant) -> UInt64 {
        let id = nextID
        nextID += 1
        pending[id] = Pending(waiter: waiter, deadline: deadline)
        if earliest.map({ deadline < $0 }) ?? true { earliest = deadline }
        return id
    }

    /// Ends a request.
    /// - Returns: its waiter; `nil` when it has ended already or never was.
    package mutating func remove(_ id: UInt64) -> Waiter? {
        pending.removeValue(forKey: id)?.waiter
    }

    package func waiter(_ id: UInt64) -> Waiter? { pending[id]?.waiter }

    /// Changes what is known of a request that still waits.
    package mutating func update(_ id: UInt64, _ change: (inout Waiter) -> Void) {
        guard pending[id] != nil else { return }
        change(&pending[id]!.waiter)
    }

    /// Ends the requests whose deadline has come.
    package mutating func removeExpired(at now: ContinuousClock.Instant) -> [(id: UInt64, waiter: Waiter)] {
        guard let earliest, earliest <= now else { return [] }
        let expired = pending.filter { $0.value.deadline <= now }
        for id in expired.keys { pending[id] = nil }
        self.earliest = pending.values.lazy.map(\.deadline).min()
        return expired.map { ($0.key, $0.value.waiter) }.sorted { $0.id < $1.id }
    }

    /// Ends the requests that meet a condition.
    package mutating func removeAll(where condition: (Waiter) -> Bool = { _ in true }) -> [Waiter] {
        removeAllWithIDs(where: condition).map(\.waiter)
    }

    /// Ends the requests that meet a condition, and tells their ids.
    package mutating func removeAllWithIDs(where condition: (Waiter) -> Bool) -> [(id: UInt64, waiter: Waiter)] {
        let gone = pending.filter { condition($0.value.waiter) }
        for id in gone.keys { pending[id] = nil }
        if pending.isEmpty { earliest = nil }
        return gone.map { ($0.key, $0.value.waiter) }.sorted { $0.id < $1.id }
    }

    /// When to look for expired requests next; `nil` when there are none to expire.
    package var nextDeadline: ContinuousClock.Instant? { pending.isEmpty ? nil : earliest }
}
