/// A mounted file system on this machine, and the traffic of the device it is on.
public struct DiskUsage: Codable, Hashable, Sendable {
    /// Where it is mounted, such as `/` or `/var`.
    public let mountPoint: String
    /// What is mounted, such as `/dev/sda1`.
    public let device: String
    /// The file system's type, such as `ext4`.
    public let fileSystem: String
    /// The size in bytes.
    public let totalBytes: UInt64
    /// The bytes that programs without privileges can still write.
    public let freeBytes: UInt64
    /// The bytes in use. Less than total without free where the file system keeps a reserve.
    public let usedBytes: UInt64
    /// Used by used and free together, 0...1: 1 means that nothing can be written any more. As `df` shows it.
    public let fractionUsed: Double
    /// Bytes a second read from the device since the sample before; nil where that isn't known.
    public let readBytesPerSecond: Double?
    /// Bytes a second written to the device since the sample before; nil where that isn't known.
    public let writtenBytesPerSecond: Double?

    /// - Parameters:
    ///   - mountPoint: Where it is mounted.
    ///   - device: What is mounted.
    ///   - fileSystem: The file system's type.
    ///   - totalBytes: The size.
    ///   - freeBytes: What programs without privileges can still write.
    ///   - usedBytes: The bytes in use.
    ///   - readBytesPerSecond: Read from the device, where known.
    ///   - writtenBytesPerSecond: Written to the device, where known.
    public init(
        mountPoint: String, device: String, fileSystem: String, totalBytes: UInt64, freeBytes: UInt64,
        usedBytes: UInt64, readBytesPerSecond: Double?, writtenBytesPerSecond: Double?
    ) {
        self.mountPoint = mountPoint
        self.device = device
        self.fileSystem = fileSystem
        self.totalBytes = totalBytes
        self.freeBytes = freeBytes
        self.usedBytes = usedBytes
        let reachable = Double(usedBytes) + Double(freeBytes)
        fractionUsed = reachable == 0 ? 0 : Double(usedBytes) / reachable
        self.readBytesPerSecond = readBytesPerSecond
        self.writtenBytesPerSecond = writtenBytesPerSecond
    }
}
