/// How often processes and machines may connect to the publisher. It is a value: the caller passes in the time.
///
/// When a subscriber's connection has ended, libzmq searches the topics of all others. So a process that subscribes and
/// connects again, as fast as it can, would keep the host busy.
struct OpeningRates {
    private var opened = RecentCounts()

    /// Notes that a connection is being opened, if it is allowed.
    /// - Parameters:
    ///   - share: how many connections the owner may have. It may open twice as many at once, and then half as many each
    ///     second.
    /// - Returns: whether it is allowed.
    mutating func open(by owner: Int, share: Int, at now: MonotonicInstant) -> Bool {
        guard opened.count(of: owner, at: now) + 1 <= Double(2 * share) else { return false }
        opened.add(owner, forgetting: Double(share) / 2, at: now)
        return true
    }
}
