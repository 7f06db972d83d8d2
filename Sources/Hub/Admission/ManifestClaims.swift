import Bus

/// What the manifests of the plugins that a host starts list. It belongs to their processes: another peer that declared
/// the same would be sent what is meant for them, such as passwords.
///
/// Scenes are not among it, so that workers that are started by hand can run scenes of a manifest, too.
package struct ManifestClaims: Hashable, Sendable {
    /// The id of the plugin for each message, entry and service.
    private var messages: [String: String] = [:]
    private var entries: [String: String] = [:]
    private var services: [String: String] = [:]

    package init() {}

    /// Adds what the manifest of a plugin lists.
    package mutating func add(plugin id: String, handles: [String], provides: [String], services names: [String]) {
        for name in handles { messages[name] = id }
        for key in provides { entries[key] = id }
        for name in names { services[name] = id }
    }

    /// Returns the refusal of a peer that is no process of a plugin, and declares what belongs to one; `nil` when it does
    /// not.
    func refusal(of hello: Hello) -> Refusal? {
        for (what, said, claims) in [
            ("handles", hello.handles, messages), ("provides", hello.provides, entries),
            ("offers", hello.services, services),
        ] {
            guard let name = said.first(where: { claims[$0] != nil }), let plugin = claims[name] else { continue }
            return Refusal(
                .unauthorized,
                """
                '\(hello.peer)' \(what) '\(name)', which is only for the process that this host starts for its plugin \
                '\(plugin)'; remove it from one of the two, or let the host start this program
                """)
        }
        return nil
    }
}
