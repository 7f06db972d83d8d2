/// Identifies a request and all its copies.
public struct MessageID: Hashable, Sendable, CustomStringConvertible {
    /// The more significant 8 bytes of the id.
    public let high: UInt64
    /// The less significant 8 bytes of the id.
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes a random id.
    public static func new() -> MessageID {
        MessageID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    /// The id as 32 hexadecimal digits.
    public var description: String {
        [high, low].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
