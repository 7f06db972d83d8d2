/// What the bus does when it cannot know whether a request was handled. Declared with the message: ``Idempotent()``,
/// ``Once()``.
public enum MessageDelivery: UInt8, Hashable, Sendable {
    /// Sent once. When the process that had it is gone, the sender is told that it may have been handled.
    case atMostOnce
    /// Handling it twice does no harm: it is sent again after a reconnect, until its deadline.
    case idempotent
    /// Never handled twice and never lost in silence: the host keeps a record of it, from which a copy is answered.
    case once
}

/// Names a request for as long as anybody may ask about it: every copy of it has the same.
public struct MessageID: Hashable, Sendable, CustomStringConvertible {
    /// The id's 16 bytes, most significant half first.
    public let high: UInt64
    /// The second half.
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A new id, at random.
    package static func new() -> MessageID {
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
