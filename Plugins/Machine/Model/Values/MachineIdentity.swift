/// Which machine it is. A field is nil where the machine, or the container, doesn't tell.
public struct MachineIdentity: Codable, Hashable, Sendable {
    /// The host name.
    public let hostName: String?
    /// The kernel's release, such as `6.1.0-18-amd64`.
    public let kernel: String?
    /// When the machine started, in seconds since 1970 (UTC).
    public let bootTime: Double?
    /// For how many seconds the machine has been up.
    public let uptime: Double?
    /// How many cores are online.
    public let cores: Int?

    /// - Parameters:
    ///   - hostName: The host name.
    ///   - kernel: The kernel's release.
    ///   - bootTime: When the machine started, in seconds since 1970.
    ///   - uptime: For how many seconds it has been up.
    ///   - cores: How many cores are online.
    public init(hostName: String?, kernel: String?, bootTime: Double?, uptime: Double?, cores: Int?) {
        self.hostName = hostName
        self.kernel = kernel
        self.bootTime = bootTime
        self.uptime = uptime
        self.cores = cores
    }
}
