/// The counters of `/proc` at one moment, from which a ``MachineSampler`` computes the usage.
public struct RawSample: Hashable, Sendable {
    struct Disk: Hashable, Sendable {
        let mount: Mount
        let capacity: FileSystemCapacity
        /// Nil if the device's traffic is unknown.
        let counters: DiskCounters?
    }

    var hostName: String?
    var kernel: String?
    var uptime: Double?
    var statistics: KernelStatistics?
    var memory: MemoryUsage?
    var load: LoadAverage?
    var disks: [Disk] = []
    var interfaces: [String: InterfaceCounters] = [:]
    var processes: [RawProcess] = []
    var missing: [MissingFigure] = []
    /// The unit of processor times.
    var ticksPerSecond: Double = 100
    /// The unit of resident memory.
    var pageBytes: UInt64 = 4096

    init() {}
}
