/// What one connection to the publisher may subscribe to. It is a value: the caller passes in the time.
///
/// A peer needs a few subscriptions of three bytes. libzmq stores each byte of a subscription in some forty bytes before
/// it reports the subscription, so what arrives is limited, too.
struct SubscriptionAllowance {
    /// The maximum number of subscriptions.
    static let maximumCount = 64
    /// The maximum size of all topics, in bytes.
    static let maximumSize = 1024
    /// How many bytes may arrive at once: the handshake, and subscriptions with what ZeroMQ adds to each.
    static let burst = 4096
    /// How many bytes a second may arrive for ever: ZeroMQ's heartbeats, and changes of subscriptions.
    static let rate = 128

    private var topics: Set<[UInt8]> = []
    private var size = 0
    private var left = burst
    private var counted: MonotonicInstant

    init(at now: MonotonicInstant) { counted = now }

    /// Takes bytes that have arrived.
    /// - Returns: whether they are allowed.
    mutating func take(bytes: Int, at now: MonotonicInstant) -> Bool {
        let seconds = (now - counted).components.seconds
        if seconds > 0 {
            left = min(Self.burst, left + Self.rate * Int(min(seconds, 3600)))
            counted = now
        }
        left -= bytes
        return left >= 0
    }

    /// Adds a subscription.
    /// - Returns: whether it is allowed.
    mutating func add(_ topic: [UInt8]) -> Bool {
        guard topics.insert(topic).inserted else { return true }
        size += topic.count
        return topics.count <= Self.maximumCount && size <= Self.maximumSize
    }

    mutating func remove(_ topic: [UInt8]) {
        if topics.remove(topic) != nil { size -= topic.count }
    }
}
