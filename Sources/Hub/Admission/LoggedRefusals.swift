import Bus
import ZeroMQ

/// The refusals that have been logged, so that a peer that tries again and again is logged once.
///
/// It is a value: the caller passes in the time. Its size is bounded, and so is the number of lines in a minute, even if a peer
/// says hello under one name after another.
struct LoggedRefusals {
    static let interval = Duration.seconds(60)
    /// The maximum number of lines in an interval.
    static let maximumCount = 100
    /// The maximum number of lines in an interval about the peers of one key.
    static let maximumOfKey = 10
    private static let maximumPeers = 1000

    private var codes: [String: Refusal.Code] = [:]
    private var start: MonotonicInstant?
    private var count = 0
    private var counts: [PublicKey: Int] = [:]
    private var leftOut = 0

    /// Notes that a peer is refused.
    /// - Parameter key: the key that its connection attests; `nil` for a peer without one.
    /// - Returns: how many refusals were left out since the last line; `nil` when this one is not to be logged: the peer was
    ///   refused for the same reason before, or there were too many lines.
    mutating func note(_ refusal: Refusal, of peer: String, key: PublicKey?, at now: MonotonicInstant) -> Int? {
        guard codes[peer] != refusal.code else { return nil }
        if start.map({ now - $0 >= Self.interval }) ?? true { (start, count, counts) = (now, 0, [:]) }
        guard count < Self.maximumCount, key.map({ counts[$0, default: 0] < Self.maximumOfKey }) ?? true else {
            leftOut += 1
            return nil
        }
        if codes.count >= Self.maximumPeers { codes = [:] }
        codes[peer] = refusal.code
        count += 1
        if let key { counts[key, default: 0] += 1 }
        defer { leftOut = 0 }
        return leftOut
    }

    /// Forgets a peer that has attached.
    mutating func attached(_ peer: String) {
        codes[peer] = nil
    }
}
