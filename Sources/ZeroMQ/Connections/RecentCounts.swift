/// Counts how often each process or machine did something a short time ago. It is a value: the caller passes in the time.
///
/// A part of each count is forgotten every second, so that what was done long ago does not count.
struct RecentCounts {
    private struct Recent {
        var count: Double
        var time: MonotonicInstant
        /// How much of the count is forgotten each second.
        var rate: Double

        func rest(at now: MonotonicInstant) -> Double { max(0, count - (now - time) / .seconds(1) * rate) }
    }

    /// The number of processes and machines from which on those are forgotten that have done nothing lately.
    static let maximumOwners = 1024

    private var recent: [Int: Recent] = [:]
    /// The number of owners at which those are removed whose counts are 0 by now.
    private var nextRemoval = maximumOwners

    /// The number of processes and machines that are remembered.
    var owners: Int { recent.count }

    /// Returns how often an owner did it a short time ago.
    func count(of owner: Int, at now: MonotonicInstant) -> Double { recent[owner]?.rest(at: now) ?? 0 }

    /// Notes that an owner does it now.
    /// - Parameters:
    ///   - rate: how much of its count is forgotten each second from now on.
    ///   - most: the largest count that is remembered.
    mutating func add(
        _ owner: Int, forgetting rate: Double, atMost most: Double = .infinity, at now: MonotonicInstant
    ) {
        recent[owner] = Recent(count: min(most, count(of: owner, at: now) + 1), time: now, rate: rate)
        guard recent.count > nextRemoval else { return }
        recent = recent.filter { $0.value.rest(at: now) > 0 }
        // If all are new, they are not looked at again for each further one.
        nextRemoval = max(Self.maximumOwners, 2 * recent.count)
    }
}
