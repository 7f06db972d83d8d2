/// The requests of one side that wait for their end, and when each stops waiting.
///
/// A value: the caller feeds it the time. Each request leaves it exactly once. A request's id says where it is kept, so that
/// the reply finds it without a search. It is inlinable, and public instead of package, because the
/// compiler specializes nothing else in other modules: each request would cost a microsecond more.
public struct PendingRequests<Waiter> {
    /// A place for one request, used again and again.
    @usableFromInline struct Slot {
        /// The id of the request that is kept here; 0 when the place is free.
        @usableFromInline var id: UInt64
        @usableFromInline var deadline: ContinuousClock.Instant
        @usableFromInline var waiter: Waiter?

        @inlinable init(id: UInt64, deadline: ContinuousClock.Instant, waiter: Waiter) {
            self.id = id
            self.deadline = deadline
            self.waiter = waiter
        }
    }

    /// The low bits of an id are its slot, the rest counts the requests: ids differ, and grow with time, for 2^40 requests.
    @inlinable static var slotBits: UInt64 { 24 }

    @usableFromInline var slots: [Slot] = []
    @usableFromInline var free: [Int] = []
    @usableFromInline var sequence: UInt64 = 0
    /// No pending deadline is earlier; it may be that none is as early.
    @usableFromInline var earliest: ContinuousClock.Instant?

    @inlinable public init() {}

    @inlinable public var count: Int { slots.count - free.count }

    /// Adds a request.
    /// - Returns: its id, unique for this side of the link.
    @inlinable public mutating func add(_ waiter: Waiter, deadline: ContinuousClock.Instant) -> UInt64 {
        sequence += 1
        if let earliest, earliest <= deadline {} else { earliest = deadline }
        let place = free.popLast() ?? slots.count
        let id = sequence << Self.slotBits | UInt64(place)
        let slot = Slot(id: id, deadline: deadline, waiter: waiter)
        if place < slots.count {
            slots[place] = slot
        } else {
            precondition(place < 1 << Self.slotBits, "more than 16 million requests wait at a time")
            slots.append(slot)
        }
        return id
    }

    /// Ends a request.
    /// - Returns: its waiter; `nil` when it has ended already or never was.
    @inlinable public mutating func remove(_ id: UInt64) -> Waiter? {
        guard let place = place(of: id) else { return nil }
        return take(place)
    }

    @inlinable public func waiter(_ id: UInt64) -> Waiter? {
        guard let place = place(of: id) else { return nil }
        return slots[place].waiter
    }

    /// Changes what is known of a request that still waits.
    @inlinable public mutating func update(_ id: UInt64, _ change: (inout Waiter) -> Void) {
        guard let place = place(of: id) else { return }
        change(&slots[place].waiter!)
    }

    @inlinable func place(of id: UInt64) -> Int? {
        let place = Int(id & (1 << Self.slotBits - 1))
        return id != 0 && place < slots.count && slots[place].id == id ? place : nil
    }

    @inlinable mutating func take(_ place: Int) -> Waiter {
        slots[place].id = 0
        free.append(place)
        if free.count == slots.count { earliest = nil }
        // A place with an id has a waiter.
        return slots[place].waiter.take()!
    }

    /// Ends the requests whose deadline has come.
    @inlinable public mutating func removeExpired(at now: ContinuousClock.Instant) -> [(id: UInt64, waiter: Waiter)] {
        guard let earliest, earliest <= now else { return [] }
        let expired = removeSlots { $0.deadline <= now }
        self.earliest = slots.lazy.filter { $0.id != 0 }.map(\.deadline).min()
        return expired
    }

    /// Ends the requests that meet a condition.
    @inlinable public mutating func removeAll(where condition: (Waiter) -> Bool = { _ in true }) -> [Waiter] {
        removeAllWithIDs(where: condition).map(\.waiter)
    }

    /// The ids of the requests that meet a condition, in the order in which they began.
    @inlinable public func all(where condition: (Waiter) -> Bool) -> [UInt64] {
        slots.filter { $0.id != 0 && condition($0.waiter!) }.map(\.id).sorted()
    }

    /// Ends the requests that meet a condition, and tells their ids, in the order in which they began.
    @inlinable public mutating func removeAllWithIDs(where condition: (Waiter) -> Bool) -> [(
        id: UInt64, waiter: Waiter
    )] {
        removeSlots { condition($0.waiter!) }
    }

    @inlinable mutating func removeSlots(where condition: (Slot) -> Bool) -> [(id: UInt64, waiter: Waiter)] {
        var gone: [(id: UInt64, waiter: Waiter)] = []
        for place in slots.indices where slots[place].id != 0 && condition(slots[place]) {
            gone.append((slots[place].id, take(place)))
        }
        return gone.sorted { $0.id < $1.id }
    }

    /// When to look for expired requests next; `nil` when there are none to expire.
    @inlinable public var nextDeadline: ContinuousClock.Instant? { earliest }
}
