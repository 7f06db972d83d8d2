import Bus
import DequeModule

/// Who has lost an operator's place, and when, the latest ones. It is a value: the caller passes in the time.
///
/// Of operators that come back at once, one gives up its place before an operator that has just attached; see
/// `Admission.place`.
struct DisplacedOperators {
    /// Far more than the operators that can be attached at a time.
    private static let maximumCount = 1000
    /// An operator that attaches within this time is one that comes back. A later one may be another, with the same
    /// process ID. A process comes back within a few tenths of a second, but on a busy machine it may take seconds.
    static let comeBackTime = Duration.seconds(5)

    private var times: [PeerOwner: MonotonicInstant] = [:]
    /// The same owners, the one that gave up a place longest ago first.
    private var order: Deque<PeerOwner> = []
    private let maximumCount: Int

    init(maximumCount: Int = DisplacedOperators.maximumCount) {
        self.maximumCount = maximumCount
    }

    /// Notes that an operator gives up its place. Of too many owners, the oldest is forgotten.
    mutating func add(_ owner: PeerOwner, at now: MonotonicInstant) {
        if times.updateValue(now, forKey: owner) != nil, let index = order.firstIndex(of: owner) {
            order.remove(at: index)
        }
        order.append(owner)
        if order.count > maximumCount, let oldest = order.popFirst() { times[oldest] = nil }
    }

    /// Returns whether an operator that attaches now comes back after it gave up its place.
    func comesBack(_ owner: PeerOwner, at now: MonotonicInstant) -> Bool {
        times[owner].map { now - $0 <= Self.comeBackTime } ?? false
    }
}
