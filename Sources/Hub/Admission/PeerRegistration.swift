package import Bus

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

    /// Returns why the peer may not attach; `nil` when it may.
    func refusal(of hello: Hello) -> Refusal? {
        switch process {
        case .starting:
            // The peer's own process can send its hello before the hub learns that it was started. It tries again and
            // is then admitted. Another process that tries again is refused.
            return Refusal(.taken, "'\(hello.peer)' is a plugin that this host is about to start; try again")
        case .running(let pid, saidHello: false):
            return Refusal(
                .taken, "'\(hello.peer)' is a plugin that this host runs as process \(pid); choose another name")
        case .running: break
        }
        for (what, said, allowed) in [
            ("handles", hello.handles, handles), ("provides", hello.provides, provides),
            ("services", hello.services, services), ("scenes", hello.scenes, scenes),
        ] {
            let extra = said.filter { !allowed.contains($0) }
            if !extra.isEmpty {
                let reason =
                    "'\(hello.peer)' \(what) \(extra.joined(separator: ", ")), which its manifest does not list"
                return Refusal(.unauthorized, reason)
            }
        }
        return nil
    }
}
