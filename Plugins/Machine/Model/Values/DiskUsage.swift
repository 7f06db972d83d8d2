/// A mounted file system of this machine, and the traffic of its device.
public struct DiskUsage: Codable, Hashable, Sendable {
    /// The mount point, such as `/` or `/var`.
    public let mountPoint: String
    /// The mounted device, such as `/dev/sda1`.
    public let device: String
    /// The file system's type, such as `ext4`.
    public let fileSystem: String
    /// The size in bytes.
    public let totalBytes: UInt64
    /// The bytes that unprivileged programs can still write.
    public let freeBytes: UInt64
    /// The bytes in use. Less than `totalBytes - freeBytes` if the file system has a reserve.
    public let usedBytes: UInt64
    /// Used bytes divided by used plus free bytes, 0...1, as `df` shows it. 1 means that nothing more can be written.
    public let fractionUsed: Double
    /// Bytes per second read from the device since the previous sample; nil if unknown.
    public let readBytesPerSecond: Double?
    /// Bytes per second written to the device since the previous sample; nil if unknown.
    public let writtenBytesPerSecond: Double?

    /// - Parameters:
    ///   - mountPoint: The mount point.
    ///   - device: The mounted device.
    ///   - fileSystem: The file system's type.
    ///   - totalBytes: The size.
    ///   - freeBytes: The bytes that unprivileged programs can still write.
    ///   - usedBytes: The bytes in use.
    ///   - readBytesPerSecond: Bytes per second read from the device, if known.
    ///   - writtenBytesPerSecond: Bytes per second written to the device, if known.
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
