/// How a host divides the descriptors that its process may have open: a reserve for its own needs, and the rest for
/// connections. It is a value.
public struct DescriptorBudget: Hashable, Sendable {
    /// The number of descriptors that the process may have open.
    public let limit: Int
    /// The number of processes that the host starts.
    public let processes: Int

    public init(limit: Int, processes: Int) {
        self.limit = limit
        self.processes = processes
    }

    /// The number of descriptors without which a host does not start.
    public var minimum: Int { 128 + 8 * processes }

    public var isEnough: Bool { limit >= minimum }

    /// The number of descriptors that no connection may take. The store, logs and the loop need some at times, and
    /// each start of a process needs some pipes on both ends and a pidfd.
    public var reserve: Int { min(limit / 4, 48 + 8 * processes) }

    /// The maximum number of links. Each takes two connections.
    public var maximumLinks: Int {
        // Each process needs a pidfd and two pipes, and its link takes no place of others.
        max(16, (limit - 256 - 5 * processes) / 2)
    }

    /// The maximum number of connections that belong to no link yet. An idle one costs some 30 KB.
    public var waiting: Int { min(8192, max(16, (limit - reserve) / 4)) }
}
