/// What a peer has dropped since it started, by reason: it tells the host with a heartbeat, for who looks after both.
package struct DropCounts: Codable, Hashable, Sendable {
    /// The most reasons, and the most bytes of one.
    private static let maximumCount = 32
    private static let maximumText = 64

    package var counts: [String: UInt64]

    /// - Parameter drops: counts by reason; of what is beyond the limits the smallest are left out, texts shortened.
    package init(_ drops: [String: Int]) {
        counts = [:]
        for (reason, count) in drops.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(Self.maximumCount) {
            var text = Substring(reason)
            while text.utf8.count > Self.maximumText { text.removeLast() }
            counts[String(text), default: 0] += UInt64(max(0, count))
        }
    }

    /// - Throws: `DecodingError` for what is beyond the limits: the host keeps it.
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
