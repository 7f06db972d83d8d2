import CChildren

/// What each process of a plugin may use at most. The kernel enforces it, for the plugin's process and, one by one, for each
/// process that it starts.
struct ResourceLimits: Hashable, Sendable {
    /// The memory that the process can write to and shares with nobody: its heap and the stacks of its threads, in MiB
    /// (`RLIMIT_DATA`). It counts what was asked for, whether it is used or not. Address space that is only reserved does
    /// not count.
    var memoryMegabytes: Int?
    /// Open descriptors (`RLIMIT_NOFILE`).
    var openFiles: Int?
    /// Processes and threads of the user, all together (`RLIMIT_NPROC`). Root has no such limit.
    var processes: Int?
    /// Processor time, in seconds since the start (`RLIMIT_CPU`).
    var cpuSeconds: Int?
    /// Whether the process can get privileges that the host does not have, as by `sudo`.
    var allowsNewPrivileges = false

    /// The first arguments of the launcher; see ``scenebus_launch_name()``.
    var launchArguments: [String] {
        [memoryMegabytes.map { $0 << 20 }, openFiles, processes, cpuSeconds].map { $0.map(String.init) ?? "-" }
            + [allowsNewPrivileges ? "1" : "0"]
    }

    /// Says which limit may have ended a process; `nil` if none is likely to have.
    ///
    /// The kernel tells of processor time with a signal of its own. At the limit of memory it only refuses more, and what a
    /// program does then is up to it: most crash.
    func hint(for end: ProcessEnd) -> String? {
        guard end.isCrash, let memoryMegabytes else { return nil }
        return "its 'limits.memoryMegabytes' is \(memoryMegabytes), which may be the cause"
    }
}
