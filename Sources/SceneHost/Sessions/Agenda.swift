import HeapModule

/// What is due at which time, the earliest first. A value.
///
/// Nothing is taken out before its time: who reads an entry looks whether it still holds.
struct Agenda {
    enum Item: Hashable {
        /// A session's lease is over, or it is tried again.
        case session(String)
        /// A worker is told again to end what it has of a session.
        case discard(String, WorkerID)
    }

    struct Entry: Comparable {
        let time: ContinuousClock.Instant
        /// What is due at the same time comes in the order in which it was entered.
        let number: UInt64
        let item: Item

        static func < (left: Entry, right: Entry) -> Bool {
            (left.time, left.number) < (right.time, right.number)
        }
    }

    private var entries = Heap<Entry>()
    private var lastNumber: UInt64 = 0

    /// When the first is due.
    var next: ContinuousClock.Instant? { entries.min?.time }
    var count: Int { entries.count }
    var all: [Entry] { entries.unordered }

    mutating func add(_ item: Item, at time: ContinuousClock.Instant) {
        lastNumber += 1
        entries.insert(Entry(time: time, number: lastNumber, item: item))
    }

    /// Takes out the first, if it is due.
    mutating func popFirst(until now: ContinuousClock.Instant) -> Entry? {
        guard let first = entries.min, first.time <= now else { return nil }
        return entries.removeMin()
    }

    mutating func removeAll(where isOver: (Entry) -> Bool) {
        entries = Heap(entries.unordered.filter { !isOver($0) })
    }
}
