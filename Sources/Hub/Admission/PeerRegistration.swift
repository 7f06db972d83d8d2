package import Bus

/// What a hub's owner knows of the peer that bears a name: which process it is, and what it may do.
package struct PeerRegistration {
    /// The process that may attach under the name.
    package enum Process {
        /// The owner is about to start it.
        case starting
        /// It runs.
        /// - Parameter saidHello: the process that says hello is this one, or belongs to it.
        case running(pid: Int32, saidHello: Bool)
    }

    package var process: Process
    /// What its manifest lists.
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

    /// Why the peer may not attach; `nil` when it may.
    func refusal(of hello: Hello) -> Refusal? {
        switch process {
        case .starting:
            // Its own process can be faster than the news of its start; it says hello again, a stranger in vain.
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
