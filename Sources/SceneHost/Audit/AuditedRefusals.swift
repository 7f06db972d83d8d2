import Bus
import Messaging

/// Which refusals are kept: a peer that tries again and again fills no disk, and hides no other one's. It is a value: the caller
/// passes in the time.
struct AuditedRefusals {
    /// How many kinds of refusals are kept in an interval, of each peer and in all.
    private static let (maximumOfPeer, maximum) = (60, 10_000)
    private static let interval = Duration.seconds(60)

    private var known: [String: Set<String>] = [:]
    private var count = 0
    private var start: MonotonicInstant?

    /// Returns whether a refusal is the first of its kind for a while. Of too many kinds, none is.
    /// - Parameter peer: whose refusals they are: all peers of a key are one.
    mutating func isNew(of peer: String, _ what: String, at now: MonotonicInstant) -> Bool {
        if start.map({ now - $0 >= Self.interval }) ?? true { (known, count, start) = ([:], 0, now) }
        guard count < Self.maximum, known[peer, default: []].count < Self.maximumOfPeer,
            known[peer, default: []].insert(what).inserted
        else { return false }
        count += 1
        return true
    }
}
