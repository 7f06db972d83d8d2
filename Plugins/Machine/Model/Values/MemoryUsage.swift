/// The machine's memory, in bytes. In a container these are the figures of the whole machine.
public struct MemoryUsage: Codable, Hashable, Sendable {
    /// The memory that the kernel manages.
    public let totalBytes: UInt64
    /// The memory that programs can still get without swapping: free memory and caches that can be dropped.
    public let availableBytes: UInt64
    /// The memory that isn't available.
    public let usedBytes: UInt64
    /// The size of the swap space; 0 when there is none.
    public let swapTotalBytes: UInt64
    /// The part of the swap space that is in use.
    public let swapUsedBytes: UInt64
    /// Used memory divided by total memory, 0...1.
    public let fractionUsed: Double

    /// - Parameters:
    ///   - totalBytes: The memory that the kernel manages.
    ///   - availableBytes: The memory that programs can still get; limited to `totalBytes`.
    ///   - swapTotalBytes: The size of the swap space.
    ///   - swapFreeBytes: The unused part of the swap space; limited to `swapTotalBytes`.
    public init(totalBytes: UInt64, availableBytes: UInt64, swapTotalBytes: UInt64, swapFreeBytes: UInt64) {
        self.totalBytes = totalBytes
        self.availableBytes = min(availableBytes, totalBytes)
        usedBytes = totalBytes - self.availableBytes
        self.swapTotalBytes = swapTotalBytes
        swapUsedBytes = swapTotalBytes - min(swapFreeBytes, swapTotalBytes)
        fractionUsed = totalBytes == 0 ? 0 : Double(usedBytes) / Double(totalBytes)
    }
}
