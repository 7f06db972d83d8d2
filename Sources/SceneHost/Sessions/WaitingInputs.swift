import Bus
import DequeModule
import HeapModule

/// The inputs that wait until their sessions' scenes can receive them. It is a value: the caller passes in the time.
///
/// Each sender has its share of them (`FairShare`), and so has each session, because one sender may act for many
/// people, and one session that does not come back must not take the room of the others. A sender with few inputs may
/// add one to any session.
struct WaitingInputs<Run> {
    struct Input {
        /// Its position among all inputs.
        let order: UInt64
        let deadline: MonotonicInstant
        /// The name of the peer that sent it; empty for this process.
        let sender: String
        let run: Run
    }

    /// The deadline of an input.
    private struct Deadline: Comparable {
        let deadline: MonotonicInstant
        let session: String

        static func < (left: Deadline, right: Deadline) -> Bool { left.deadline < right.deadline }
    }

    /// The inputs of each session, in their order.
    private var inputs: [String: Deque<Input>] = [:]
    private var bySender: SharedRoom<String>
    private var bySession: SharedRoom<String>
    /// The deadlines of the inputs. Some entries may be outdated.
    private var deadlines = Heap<Deadline>()

    /// - Parameter limit: the maximum number of inputs.
    init(limit: Int = 10_000) {
        bySender = SharedRoom(limit: limit)
        bySession = SharedRoom(limit: limit)
    }

    var count: Int { bySession.used }
    /// The number of deadlines that are kept, including outdated ones.
    var deadlineCount: Int { deadlines.count }
    /// The sessions with waiting inputs.
    var sessions: Dictionary<String, Deque<Input>>.Keys { inputs.keys }
    /// When to call ``sessionsDue(at:)`` next; `nil` when no input waits.
    var nextDeadline: MonotonicInstant? { deadlines.min?.deadline }

    func hasInputs(of session: String) -> Bool { inputs[session] != nil }

    /// Adds an input. One that is sent again has its former order, and goes before newer ones.
    /// - Returns: why it may not wait; `nil` when it waits.
    mutating func add(_ input: Input, of session: String) -> String? {
        guard bySender.allows(to: input.sender) else {
            return
                "\(bySender.held(by: input.sender)) inputs of '\(input.sender)' wait for scenes, of \(count) in all and \(bySender.share.limit) at most; each sender has its share"
        }
        guard bySession.allows(to: session) || bySender.held(by: input.sender) < bySender.share.assured else {
            return
                "\(bySession.held(by: session)) inputs wait for session '\(session)', of \(count) in all and \(bySession.share.limit) at most; each session has its share"
        }
        bySender.add(for: input.sender)
        bySession.add(for: session)
        var waiting = inputs.removeValue(forKey: session) ?? []
        waiting.insert(input, at: Self.place(of: input.order, in: waiting))
        inputs[session] = waiting
        deadlines.insert(Deadline(deadline: input.deadline, session: session))
        return nil
    }

    /// Removes an input whose sender no longer waits.
    mutating func remove(_ order: UInt64, of session: String) -> Input? {
        guard var waiting = inputs.removeValue(forKey: session) else { return nil }
        let place = Self.place(of: order, in: waiting)
        let input = place < waiting.count && waiting[place].order == order ? waiting.remove(at: place) : nil
        if !waiting.isEmpty { inputs[session] = waiting }
        if let input { left(input, session) }
        return input
    }

    /// Removes the inputs of a session that meet a condition.
    mutating func removeAll(of session: String, where condition: (Input) -> Bool = { _ in true }) -> [Input] {
        guard let waiting = inputs.removeValue(forKey: session) else { return [] }
        let removed = waiting.filter(condition)
        if removed.count < waiting.count { inputs[session] = waiting.filter { !condition($0) } }
        for input in removed { left(input, session) }
        return Array(removed)
    }

    /// Removes the deadlines that have passed.
    /// - Returns: the sessions with inputs of which some have reached their deadlines.
    mutating func sessionsDue(at now: MonotonicInstant) -> Set<String> {
        var due: Set<String> = []
        while let first = deadlines.min, first.deadline <= now {
            deadlines.removeMin()
            if inputs[first.session] != nil { due.insert(first.session) }
        }
        return due
    }

    private mutating func left(_ input: Input, _ session: String) {
        bySender.giveBack(of: input.sender)
        bySession.giveBack(of: session)
        guard deadlines.count > 2 * count + 64 else { return }
        deadlines = Heap(
            inputs.flatMap { id, inputs in inputs.map { Deadline(deadline: $0.deadline, session: id) } })
    }

    /// Returns the index of the first input that is not before an order.
    private static func place(of order: UInt64, in inputs: Deque<Input>) -> Int {
        guard let last = inputs.last, last.order >= order else { return inputs.count }
        var (low, high) = (0, inputs.count)
        while low < high {
            let middle = (low + high) / 2
            if inputs[middle].order < order { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
