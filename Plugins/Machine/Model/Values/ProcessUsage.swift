/// A process and its use of resources.
///
/// Arguments are not included: they can contain passwords and tokens, and every peer can read published values.
public struct ProcessUsage: Codable, Hashable, Sendable {
    /// The process's id.
    public let pid: Int32
    /// The name that the kernel reports, with control characters replaced by `?`.
    public let name: String
    /// The state.
    public let state: ProcessState
    /// Processor time divided by elapsed time. 1 is one busy core, so a process with several threads can exceed 1. Nil
    /// if unknown, as in the first sample.
    public let cpuFraction: Double?
    /// Its memory in RAM, in bytes, including memory shared with other processes.
    public let residentBytes: UInt64
    /// The number of its threads.
    public let threads: Int
    /// The effective user; nil if unknown.
    public let userID: UInt32?

    /// - Parameters:
    ///   - pid: The process's id.
    ///   - name: The name that the kernel reports.
    ///   - state: The state.
    ///   - cpuFraction: Processor time divided by elapsed time, if known.
    ///   - residentBytes: Its memory in RAM.
    ///   - threads: The number of its threads.
    ///   - userID: The effective user, if known.
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
