/// The state of a machine at one moment, with rates over the time since the previous sample.
public struct MachineSample: Codable, Hashable, Sendable {
    /// The identity of the machine.
    public let identity: MachineIdentity
    /// The processors; nil in the first sample.
    public let cpu: CPUUsage?
    /// The memory usage; nil if it is ``missing``.
    public let memory: MemoryUsage?
    /// The load average; nil if it is ``missing``.
    public let load: LoadAverage?
    /// The mounted file systems of this machine's own disks, each device once, ordered by mount point.
    public let disks: [DiskUsage]
    /// The network interfaces, ordered by name.
    public let networks: [NetworkUsage]
    /// The processes with the most processor time and, among equals, the most memory.
    public let processes: [ProcessUsage]
    /// The number of processes.
    public let processCount: Int
    /// The figures that are missing, with the reasons.
    public let missing: [MissingFigure]

    /// - Parameters:
    ///   - identity: The identity of the machine.
    ///   - cpu: The processors.
    ///   - memory: The memory.
    ///   - load: The load.
    ///   - disks: The mounted file systems.
    ///   - networks: The network interfaces.
    ///   - processes: The processes to show.
    ///   - processCount: The number of processes.
    ///   - missing: The figures that are missing, with the reasons.
    public init(
        identity: MachineIdentity, cpu: CPUUsage?, memory: MemoryUsage?, load: LoadAverage?, disks: [DiskUsage],
        networks: [NetworkUsage], processes: [ProcessUsage], processCount: Int, missing: [MissingFigure]
    ) {
        self.identity = identity
        self.cpu = cpu
        self.memory = memory
        self.load = load
        self.disks = disks
        self.networks = networks
        self.processes = processes
        self.processCount = processCount
        self.missing = missing
    }
}
