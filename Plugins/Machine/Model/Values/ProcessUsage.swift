/// One process and what it uses.
///
/// Its arguments are not part of it: they hold passwords and tokens, and every peer may read what is published.
public struct ProcessUsage: Codable, Hashable, Sendable {
    /// The process's id.
    public let pid: Int32
    /// The name the kernel knows it by, control characters replaced by `?`.
    public let name: String
    /// What it is doing.
    public let state: ProcessState
    /// Processor time by elapsed time: 1 is one core kept busy, so a process of many threads can have more. nil where
    /// it isn't known, as in a first sample.
    public let cpuFraction: Double?
    /// The memory it has in RAM, in bytes, what it shares with others included.
    public let residentBytes: UInt64
    /// How many threads it has.
    public let threads: Int
    /// The user it acts as; nil where that isn't known.
    public let userID: UInt32?

    /// - Parameters:
    ///   - pid: The process's id.
    ///   - name: The name the kernel knows it by.
    ///   - state: What it is doing.
    ///   - cpuFraction: Processor time by elapsed time, where known.
    ///   - residentBytes: The memory it has in RAM.
    ///   - threads: How many threads it has.
    ///   - userID: The user it acts as, where known.
    public init(
        pid: Int32, name: String, state: ProcessState, cpuFraction: Double?, residentBytes: UInt64, threads: Int,
        userID: UInt32?
    ) {
        self.pid = pid
        self.name = name
        self.state = state
        self.cpuFraction = cpuFraction
        self.residentBytes = residentBytes
        self.threads = threads
        self.userID = userID
    }
}
