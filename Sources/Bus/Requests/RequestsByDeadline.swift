/// The requests of one side that wait for a reply, and when each stops waiting.
///
/// It is a value: the caller passes in the time. Each request is removed exactly once. A request's id contains its
/// slot, so that the reply finds it without a search. The type is inlinable, and public instead of package, because the
/// compiler specializes nothing else in other modules: each request would cost a microsecond more.
public struct RequestsByDeadline<Waiter> {
    /// Holds one request at a time, and is reused for later ones.
    @usableFromInline struct Slot {
        /// The id of the request in this slot; 0 when the slot is free.
        @usableFromInline var id: UInt64
        @usableFromInline var deadline: MonotonicInstant
        @usableFromInline var waiter: Waiter?

        @inlinable init(id: UInt64, deadline: MonotonicInstant, waiter: Waiter) {
            self.id = id
            self.deadline = deadline
            self.waiter = waiter
        }
    }

    /// The low bits of an id are its slot, the other bits count the requests. Ids are unique and grow with time, for
    /// 2^40 requests.
    @inlinable static var slotBits: UInt64 { 24 }

    @usableFromInline var slots: [Slot] = []
    @usableFromInline var free: [Int] = []
    @usableFromInline var sequence: UInt64 = 0
    /// A lower bound of the pending deadlines. It may be earlier than all of them.
    @usableFromInline var earliest: MonotonicInstant?

    /// - Parameter sequence: a number that all ids are greater than: not more than 2^39, so that ids do not run out.
    @inlinable public init(after sequence: UInt64 = 0) { self.sequence = sequence }

    @inlinable public var count: Int { slots.count - free.count }

    /// Adds a request.
    /// - Returns: its id, unique for this side of the link.
    @inlinable public mutating func add(_ waiter: consuming Waiter, deadline: MonotonicInstant) -> UInt64 {
        sequence += 1
        earliest = earliest.map { min($0, deadline) } ?? deadline
        let place = free.popLast() ?? slots.count
        let id = sequence << Self.slotBits | UInt64(place)
        if place < slots.count {
            slots[place].id = id
            slots[place].deadline = deadline
            slots[place].waiter = waiter
        } else {
            precondition(place < 1 << Self.slotBits, "more than 16 million requests are pending")
            slots.append(Slot(id: id, deadline: deadline, waiter: waiter))
        }
        return id
    }

    /// Returns an id that no request has.
    package mutating func takeID() -> UInt64 {
        sequence += 1
        return sequence << Self.slotBits
    }

    /// Removes a request.
    /// - Returns: its waiter; `nil` when the request has been removed already or never existed.
    @inlinable public mutating func remove(_ id: UInt64) -> Waiter? {
        guard let place = place(of: id) else { return nil }
        return take(place)
    }

    @inlinable public func waiter(_ id: UInt64) -> Waiter? {
        guard let place = place(of: id) else { return nil }
        return slots[place].waiter
    }

    /// Changes the waiter of a pending request.
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
        // A slot with an id has a waiter.
        return slots[place].waiter.take()!
    }

    /// Removes the requests whose deadline has passed.
    @inlinable public mutating func removeExpired(at now: MonotonicInstant) -> [(id: UInt64, waiter: Waiter)] {
        guard let earliest, earliest <= now else { return [] }
        let expired = removeSlots { $0.deadline <= now }
        self.earliest = slots.lazy.filter { $0.id != 0 }.map(\.deadline).min()
        return expired
    }

    /// Removes the requests that meet a condition, and returns them in the order in which they were added.
    @inlinable public mutating func removeAll(where condition: (Waiter) -> Bool = { _ in true }) -> [Waiter] {
        removeSlots { condition($0.waiter!) }.map(\.waiter)
    }

    /// Returns the ids of the requests that meet a condition, in the order in which they were added.
    @inlinable public func all(where condition: (Waiter) -> Bool) -> [UInt64] {
        slots.filter { $0.id != 0 && condition($0.waiter!) }.map(\.id).sorted()
    }

    @inlinable mutating func removeSlots(where condition: (Slot) -> Bool) -> [(id: UInt64, waiter: Waiter)] {
        var gone: [(id: UInt64, waiter: Waiter)] = []
        for place in slots.indices where slots[place].id != 0 && condition(slots[place]) {
            gone.append((slots[place].id, take(place)))
        }
        return gone.sorted { $0.id < $1.id }
    }

    /// When to check for expired requests next; `nil` when there are none to expire.
    @inlinable public var nextDeadline: MonotonicInstant? { earliest }
}
