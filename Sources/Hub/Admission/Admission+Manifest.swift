import Bus

/// The check of a peer that has a manifest: which process it may be, and what it may do.
extension Admission {
    /// Returns why a peer may not attach under a registered name; `nil` when it may.
    static func refusal(of hello: Hello, registeredAs registration: PeerRegistration) -> Refusal? {
        switch registration.process {
        case .starting:
            // The peer's own process can send its hello before the hub learns that it was started. It tries again and
            // is then admitted. Another process that tries again is refused.
            return Refusal(.taken, "'\(hello.peer)' is a plugin that this host is about to start; try again")
        case .running(let pid, saidHello: false):
            return Refusal(
                .taken,
                "'\(hello.peer)' is a plugin that this host runs as process \(pid); give this one another name with --name"
            )
        case .running: break
        }
        for (what, said, allowed) in [
            ("handles", hello.handles, registration.handles), ("provides", hello.provides, registration.provides),
            ("services", hello.services, registration.services), ("scenes", hello.scenes, registration.scenes),
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
