import Bus

/// What a hub's owner knows about the peer of a name: its process, and what it may do.
package struct PeerRegistration {
    /// The process that may attach under the name.
    package enum Process {
        /// The owner is about to start the process.
        case starting
        /// The process is running.
        /// - Parameter saidHello: whether the hello is from this process, or from one that belongs to it.
        case running(pid: Int32, saidHello: Bool)
    }

    package var process: Process
    /// Whether the hello is from a process that the owner has started, or from one that belongs to it.
    var isOwn: Bool {
        guard case .running(_, saidHello: true) = process else { return false }
        return true
    }
    /// What the peer's manifest lists.
    package var handles: [String]
    package var provides: [String]
    package var services: [String]
    package var scenes: [String]

    package init(
        process: Process, handles: [String], provides: [String], services: [String], scenes: [String]
    ) {
        self.process = process
        self.handles = handles
        self.provides = provides
        self.services = services
        self.scenes = scenes
    }
}
