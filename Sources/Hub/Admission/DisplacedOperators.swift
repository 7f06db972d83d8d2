import DequeModule

/// The processes of operators that have given up their places, the latest ones. It is a value.
///
/// Of those that come back, one gives up its place before an operator that has just attached; see `Admission.place`.
struct DisplacedOperators {
    /// Far more than the operators that can be attached at a time.
    private static let maximumCount = 1000

    private var processes: Set<Int32> = []
    /// The same processes, the one that gave up a place longest ago first.
    private var order: Deque<Int32> = []
    private let maximumCount: Int

    init(maximumCount: Int = DisplacedOperators.maximumCount) {
        self.maximumCount = maximumCount
    }

    /// Notes a process whose operator gives up its place. Of too many, the oldest is forgotten.
    mutating func add(_ process: Int32) {
        if !processes.insert(process).inserted, let index = order.firstIndex(of: process) { order.remove(at: index) }
        order.append(process)
        if order.count > maximumCount, let oldest = order.popFirst() { processes.remove(oldest) }
    }

    /// Returns whether an operator of a process has given up its place.
    func contains(_ process: Int32) -> Bool { processes.contains(process) }
}
