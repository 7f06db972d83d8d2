import Bus
import Messaging

/// How many entries of each key are kept in a minute: one that acts again and again fills no disk. It is a value: the caller
/// passes in the time.
struct AuditedActs {
    /// More than a person does, and than a script that opens sessions.
    static let maximum = 600
    private static let interval = Duration.seconds(60)

    private var counts: [String: Int] = [:]
    private var start: MonotonicInstant?

    /// Returns whether one more entry of a key is kept.
    mutating func allows(_ peer: String, at now: MonotonicInstant) -> Bool {
        if start.map({ now - $0 >= Self.interval }) ?? true { (counts, start) = ([:], now) }
        counts[peer, default: 0] += 1
        return counts[peer, default: 0] <= Self.maximum
    }
}
