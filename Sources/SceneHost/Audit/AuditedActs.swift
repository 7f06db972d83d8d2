import Bus
import Messaging

/// How many entries of each key, and of each user for whom a peer acts, are kept in a minute: one that acts again and again fills
/// no disk, and takes nothing from other users of the same peer. It is a value: the caller passes in the time.
struct AuditedActs {
    /// More than a person does, and than a script that opens sessions.
    static let maximum = 600
    /// How many users of a peer are told apart in a minute. Further ones are counted with the peer itself.
    static let maximumUsers = 1000
    private static let interval = Duration.seconds(60)

    /// The numbers of entries, by the key or process of the peer, and then by the user, which is empty for the peer itself.
    private var counts: [String: [String: Int]] = [:]
    private var start: MonotonicInstant?

    /// Returns whether one more entry is kept.
    /// - Parameters:
    ///   - sharer: the key or the process of the peer.
    ///   - user: the user for whom the peer acted; `nil` for the peer itself.
    mutating func allows(_ sharer: String, for user: String? = nil, at now: MonotonicInstant) -> Bool {
        if start.map({ now - $0 >= Self.interval }) ?? true { (counts, start) = ([:], now) }
        var user = user ?? ""
        if counts[sharer]?[user] == nil, counts[sharer]?.count ?? 0 >= Self.maximumUsers { user = "" }
        counts[sharer, default: [:]][user, default: 0] += 1
        return counts[sharer, default: [:]][user, default: 0] <= Self.maximum
    }
}
