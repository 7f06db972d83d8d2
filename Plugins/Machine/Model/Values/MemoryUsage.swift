/// The machine's memory, in bytes. In a container these are the figures of the whole machine.
public struct MemoryUsage: Codable, Hashable, Sendable {
    /// What the kernel manages.
    public let totalBytes: UInt64
    /// What programs could still get without swapping: free memory and caches that can be dropped.
    public let availableBytes: UInt64
    /// What isn't available.
    public let usedBytes: UInt64
    /// The size of the swap space; 0 when there is none.
    public let swapTotalBytes: UInt64
    /// How much of the swap space is in use.
    public let swapUsedBytes: UInt64
    /// Used by total, 0...1.
    public let fractionUsed: Double

    /// - Parameters:
    ///   - totalBytes: What the kernel manages.
    ///   - availableBytes: What programs could still get; taken as `totalBytes` where it is more.
    ///   - swapTotalBytes: The size of the swap space.
    ///   - swapFreeBytes: The unused part of it; taken as `swapTotalBytes` where it is more.
    public init(totalBytes: UInt64, availableBytes: UInt64, swapTotalBytes: UInt64, swapFreeBytes: UInt64) {
        self.totalBytes = totalBytes
        self.availableBytes = min(availableBytes, totalBytes)
        usedBytes = totalBytes - self.availableBytes
        self.swapTotalBytes = swapTotalBytes
        swapUsedBytes = swapTotalBytes - min(swapFreeBytes, swapTotalBytes)
        fractionUsed = totalBytes == 0 ? 0 : Double(usedBytes) / Double(totalBytes)
    }
}
