/// The traffic of a network interface, the loopback one too.
public struct NetworkUsage: Codable, Hashable, Sendable {
    /// The interface's name, such as `eth0`.
    public let interface: String
    /// Bytes a second received since the sample before; nil where that isn't known.
    public let receivedBytesPerSecond: Double?
    /// Bytes a second sent since the sample before; nil where that isn't known.
    public let sentBytesPerSecond: Double?
    /// Bytes received since the interface is there.
    public let receivedBytes: UInt64
    /// Bytes sent since the interface is there.
    public let sentBytes: UInt64

    /// - Parameters:
    ///   - interface: The interface's name.
    ///   - receivedBytesPerSecond: Received since the sample before, where known.
    ///   - sentBytesPerSecond: Sent since the sample before, where known.
    ///   - receivedBytes: Received since the interface is there.
    ///   - sentBytes: Sent since the interface is there.
    public init(
        interface: String, receivedBytesPerSecond: Double?, sentBytesPerSecond: Double?, receivedBytes: UInt64,
        sentBytes: UInt64
    ) {
        self.interface = interface
        self.receivedBytesPerSecond = receivedBytesPerSecond
        self.sentBytesPerSecond = sentBytesPerSecond
        self.receivedBytes = receivedBytes
        self.sentBytes = sentBytes
    }
}
