/// The identity of a machine. A field is nil if the machine or the container doesn't provide it.
public struct MachineIdentity: Codable, Hashable, Sendable {
    /// The host name.
    public let hostName: String?
    /// The kernel's release, such as `6.1.0-18-amd64`.
    public let kernel: String?
    /// When the machine started, in seconds since 1970 (UTC).
    public let bootTime: Double?
    /// The time since the machine started, in seconds.
    public let uptime: Double?
    /// The number of online cores.
    public let cores: Int?

    /// - Parameters:
    ///   - hostName: The host name.
    ///   - kernel: The kernel's release.
    ///   - bootTime: When the machine started, in seconds since 1970.
    ///   - uptime: The time since the machine started, in seconds.
    ///   - cores: The number of online cores.
    public init(hostName: String?, kernel: String?, bootTime: Double?, uptime: Double?, cores: Int?) {
        self.hostName = hostName
        self.kernel = kernel
        self.bootTime = bootTime
        self.uptime = uptime
        self.cores = cores
    }
}
