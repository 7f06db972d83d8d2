/// Who acts with a message: the peer of the host with which it began.
///
/// When a person at an operator's command acts in a scene, the scene's worker handles that action, and what the handler sends
/// in turn may be handled by a plugin. All of these handlers read the same actor, the operator, as
/// ``MessageContext/actor``. The host attests it.
public struct MessageActor: Hashable, Sendable, CustomStringConvertible {
    /// The role in which the peer is attached.
    public let role: PeerRole
    /// The peer's name.
    public let peer: String
    /// The name of the peer's key, which the connection attests. `nil` for a process of the host's user on the host's
    /// machine, whose name is what it says of itself.
    public let key: String?

    package init(role: PeerRole, peer: String, key: String? = nil) {
        (self.role, self.peer, self.key) = (role, peer, key)
    }

    /// For people, such as `operator 'wall-3'`.
    public var description: String { "\(role.rawValue) '\(peer)'" }

    // MARK: - The form on the bus

    // The role, the peer's name and the key's name, with a space in front of the second and third.

    /// The text of the actor in a frame.
    package var text: String { ([role.rawValue, peer] + [key].compactMap { $0 }).joined(separator: " ") }

    /// - Returns: `nil` for a text that names no actor.
    package init?(text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }),
            let role = PeerRole(rawValue: String(parts[0]))
        else { return nil }
        self.init(role: role, peer: String(parts[1]), key: parts.count == 3 ? String(parts[2]) : nil)
    }
}
