/// The traffic of a network interface, including the loopback interface.
public struct NetworkUsage: Codable, Hashable, Sendable {
    /// The interface's name, such as `eth0`.
    public let interface: String
    /// Bytes per second received since the previous sample; nil if unknown.
    public let receivedBytesPerSecond: Double?
    /// Bytes per second sent since the previous sample; nil if unknown.
    public let sentBytesPerSecond: Double?
    /// Bytes received since the interface was created.
    public let receivedBytes: UInt64
    /// Bytes sent since the interface was created.
    public let sentBytes: UInt64

    /// - Parameters:
    ///   - interface: The interface's name.
    ///   - receivedBytesPerSecond: Bytes per second received since the previous sample, if known.
    ///   - sentBytesPerSecond: Bytes per second sent since the previous sample, if known.
    ///   - receivedBytes: Bytes received since the interface was created.
    ///   - sentBytes: Bytes sent since the interface was created.
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
