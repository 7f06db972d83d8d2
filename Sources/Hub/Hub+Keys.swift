import Access
import Bus
import ZeroMQ

/// Peers with keys.
extension Hub {
    /// How long a peer has to read why its link ends.
    private static let lastWords = Duration.milliseconds(200)

    /// Ends the links of the keys that are not in force any more, or whose lines say something else now. A peer of the latter
    /// may attach again.
    package func keysChanged() {
        let changed = links.values.filter { $0.access.map { !isInForce($0) } ?? false }
        for link in changed {
            guard let access = link.access else { continue }
            changedKeys.insert(access.key)
            let name = access.entry.name
            let refusal =
                authority?.access(of: access.key) != nil
                ? Refusal(.unknownLink, "the host's list says something else of the key '\(name)' now; say hello again")
                : self.refusal(ofKey: access.key, named: "'\(name)'")
            refuse(link.routingID, refusal)
            detach(link, .keyChanged)
        }
        closing.formUnion(outdatedConnections)
        if !closing.isEmpty { closingTimer.set(noLaterThan: .now + Self.lastWords) }
    }

    /// Why a key that is not in force is refused. A peer whose key was replaced attaches anew with the other one.
    func refusal(ofKey key: PublicKey, named name: String) -> Refusal {
        authority?.wasReplaced(key) == true
            ? Refusal(.unknownLink, "the key \(name) was replaced, and is not valid any more; attach with the new one")
            : Refusal(.unauthorized, "this host does not allow the key \(name) any more")
    }

    /// The connections whose keys are not in force any more, or are not known yet: nothing was read from them.
    private var outdatedConnections: Set<ConnectionGate.Connection> {
        gate?.networkConnections { key in
            key.map { changedKeys.contains($0) || authority?.access(of: $0) == nil } ?? true
        } ?? []
    }

    private func isInForce(_ access: PeerAccess) -> Bool {
        guard let current = authority?.access(of: access.key) else { return false }
        return access.allowsSame(as: current)
    }

    func closeConnections() {
        // A peer has said something meanwhile, and its key is known now.
        gate?.close(closing.intersection(outdatedConnections))
        (closing, changedKeys) = ([], [])
    }
}
