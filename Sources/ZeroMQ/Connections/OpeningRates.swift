/// How often processes and machines may connect to the publisher. It is a value: the caller passes in the time.
///
/// When a subscriber's connection has ended, libzmq searches the topics of all others. So a process that subscribes and
/// connects again, as fast as it can, would keep the host busy.
struct OpeningRates {
    /// What is known of one process or machine.
    private struct Opened {
        /// The connections that were opened a short time ago. A part of them is forgotten each second.
        var count: Double
        var time: MonotonicInstant
    }

    /// The number of processes and machines from which on those are forgotten that have opened nothing lately.
    static let maximumOwners = 1024

    /// The smallest share that a process or machine has.
    let smallestShare: Int
    private var opened: [Int: Opened] = [:]

    init(smallestShare: Int) { self.smallestShare = smallestShare }

    /// The number of processes and machines that are remembered.
    var count: Int { opened.count }

    /// Notes that a connection is being opened, if it is allowed.
    /// - Parameters:
    ///   - share: how many connections the owner may have. It may open twice as many at once, and then half as many each
    ///     second.
    /// - Returns: whether it is allowed.
    mutating func open(by owner: Int, share: Int, at now: MonotonicInstant) -> Bool {
        let earlier = opened[owner].map { Self.rest(of: $0, share: share, at: now) } ?? 0
        guard earlier + 1 <= Double(2 * share) else { return false }
        if opened.count >= Self.maximumOwners, opened[owner] == nil {
            // Their shares are not known here. What is forgotten of the smallest one is forgotten of all others.
            opened = opened.filter { Self.rest(of: $0.value, share: smallestShare, at: now) > 0 }
        }
        opened[owner] = Opened(count: earlier + 1, time: now)
        return true
    }

    private static func rest(of opened: Opened, share: Int, at now: MonotonicInstant) -> Double {
        max(0, opened.count - (now - opened.time) / .seconds(1) * Double(share) / 2)
    }
}
