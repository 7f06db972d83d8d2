/// What a peer has dropped since it started, by reason. The peer reports it to the host in a heartbeat, so that an
/// operator sees it in the host's status.
package struct PeerDrops: Codable, Hashable, Sendable {
    /// The maximum number of reasons, and the maximum length of a reason in bytes.
    private static let maximumCount = 32
    private static let maximumText = 64

    package var counts: [String: UInt64]

    /// Creates counts that stay within the limits.
    /// - Parameter drops: counts by reason. If there are too many, the smallest ones are left out. Reasons that are too
    ///   long are truncated.
    package init(_ drops: [String: Int]) {
        counts = [:]
        for (reason, count) in drops.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(Self.maximumCount) {
            var text = Substring(reason)
            while text.utf8.count > Self.maximumText { text.removeLast() }
            counts[String(text), default: 0] += UInt64(max(0, count))
        }
    }

    /// - Throws: `DecodingError` when a limit is exceeded. The counts are limited because the host stores them.
    package init(from decoder: any Decoder) throws {
        counts = try decoder.singleValueContainer().decode([String: UInt64].self)
        guard counts.count <= Self.maximumCount, counts.keys.allSatisfy({ $0.utf8.count <= Self.maximumText }) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "more than \(Self.maximumCount) reasons, or one of over \(Self.maximumText) bytes"
                ))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(counts)
    }
}
