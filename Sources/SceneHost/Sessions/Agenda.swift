import Bus
import HeapModule

/// A queue of due times, the earliest first.
///
/// Entries are not removed before they are due; the reader checks whether an entry still applies.
struct Agenda {
    enum Item: Hashable {
        /// A session's lease expires, its wait for its worker ends (`patienceEnd`), or its retry is due.
        case session(String)
        /// A worker is asked again to discard its scene of a session.
        case discard(String, WorkerID)
    }

    struct Entry: Comparable {
        let time: MonotonicInstant
        /// Orders entries with the same time by when they were added.
        let number: UInt64
        let item: Item

        static func < (left: Entry, right: Entry) -> Bool {
            (left.time, left.number) < (right.time, right.number)
        }
    }

    private var entries = Heap<Entry>()
    private var lastNumber: UInt64 = 0

    /// The time of the first entry.
    var next: MonotonicInstant? { entries.min?.time }
    var count: Int { entries.count }
    var all: [Entry] { entries.unordered }

    mutating func add(_ item: Item, at time: MonotonicInstant) {
        lastNumber += 1
        entries.insert(Entry(time: time, number: lastNumber, item: item))
    }

    /// Removes and returns the first entry if it is due.
    mutating func popFirst(until now: MonotonicInstant) -> Entry? {
        guard let first = entries.min, first.time <= now else { return nil }
        return entries.removeMin()
    }

    mutating func removeAll(where isOver: (Entry) -> Bool) {
        entries = Heap(entries.unordered.filter { !isOver($0) })
    }
}
