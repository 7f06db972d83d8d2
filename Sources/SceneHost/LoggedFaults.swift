import Bus
import Logging

/// The faults of peers that were logged last, so that a peer that repeats one without end does not fill the log.
///
/// It is a value: the caller passes in the time. The number of lines in a minute is bounded, even if a peer attaches under
/// one name after another, and the peers of one key or process leave some to others.
struct LoggedFaults {
    /// How long the same fault of the same peer is not logged again.
    static let interval = Duration.seconds(60)
    /// The maximum number of faults that are logged in an interval.
    static let maximumCount = 100
    /// The maximum number of those of one key or process.
    static let maximumOfSharer = 20

    private struct Fault: Hashable {
        let what: String
        let peer: String
    }

    /// When a fault was logged, and how often it was not since.
    private var lines: [Fault: (time: MonotonicInstant, leftOut: Int, sharer: String)] = [:]

    /// Notes a fault.
    /// - Parameter sharer: whose key or process the peer has; its own name, if `nil`.
    /// - Returns: how often it was not logged since its last line; `nil` when it is not to be logged now.
    mutating func note(
        _ what: String, of peer: String, sharing sharer: String? = nil, at now: MonotonicInstant
    ) -> Int? {
        let fault = Fault(what: what, peer: peer)
        if let line = lines[fault], now - line.time < Self.interval {
            lines[fault]?.leftOut += 1
            return nil
        }
        let leftOut = lines.removeValue(forKey: fault)?.leftOut ?? 0
        if lines.count >= Self.maximumCount { lines = lines.filter { now - $0.value.time < Self.interval } }
        let sharer = sharer ?? peer
        let ofSharer = lines.values.count { $0.sharer == sharer && now - $0.time < Self.interval }
        guard lines.count < Self.maximumCount, ofSharer < Self.maximumOfSharer else { return nil }
        lines[fault] = (now, 0, sharer)
        return leftOut
    }

    /// Logs a fault, unless it was logged less than a minute ago, with the number of times that it was not logged since.
    mutating func log(
        _ level: Logger.Level, _ what: String, of peer: String, sharing sharer: String? = nil,
        _ metadata: Logger.Metadata, to logger: Logger, at now: MonotonicInstant
    ) {
        guard let leftOut = note(what, of: peer, sharing: sharer, at: now) else { return }
        let more: Logger.Metadata = leftOut > 0 ? ["since the last line": "\(leftOut) more"] : [:]
        logger.log(level: level, "\(what)", metadata: metadata.merging(more) { $1 })
    }
}
