import DequeModule

/// The order in which waiting requests go to a peer: their senders take turns, and each sender's requests keep their
/// order.
struct WaitingTurns {
    /// The groups of waiting ids of one sender, each sorted.
    private struct Queue {
        let sender: UInt64
        var groups: [ArraySlice<UInt64>]

        /// Removes the smallest id.
        mutating func next() -> UInt64? {
            var first: Int?
            for (index, group) in groups.enumerated() {
                guard let id = group.first else { continue }
                if let best = first.flatMap({ groups[$0].first }), best < id { continue }
                first = index
            }
            return first.flatMap { groups[$0].popFirst() }
        }
    }

    private let last: UInt64
    private var queues: Deque<Queue> = []
    private var indices: [UInt64: Int] = [:]

    /// - Parameter sender: the sender whose turn was last. The next one is the first with a larger number, or the first
    ///   of all.
    init(after sender: UInt64) {
        last = sender
    }

    /// Adds a group of a sender's ids, which are sorted.
    mutating func add(_ ids: ArraySlice<UInt64>, of sender: UInt64) {
        if let index = indices[sender] {
            queues[index].groups.append(ids)
        } else {
            indices[sender] = queues.count
            queues.append(Queue(sender: sender, groups: [ids]))
        }
    }

    /// Brings the senders into their order, when all groups are added.
    mutating func begin() {
        let last = last
        queues = Deque(
            queues.sorted { ($0.sender > last ? 0 : 1, $0.sender) < ($1.sender > last ? 0 : 1, $1.sender) })
    }

    /// Removes the next id, and its sender comes behind the others.
    mutating func next() -> (id: UInt64, sender: UInt64)? {
        while var queue = queues.popFirst() {
            guard let id = queue.next() else { continue }
            queues.append(queue)
            return (id, queue.sender)
        }
        return nil
    }

    /// Leaves out what is left of the sender whose turn was last, because its next request has no room now.
    mutating func leaveOutLast() { _ = queues.popLast() }
}
