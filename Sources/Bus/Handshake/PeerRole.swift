/// What a peer is to the host: it decides who gets scenes, whose frames must have a fencing token, and who waits to be admitted
/// when many come. It gives no other rights: every peer may send, read, and provide what its hello says.
public enum PeerRole: String, Codable, Sendable, CaseIterable {
    /// Runs scenes; what it says for a session must have that session's token.
    case worker
    /// Adds responders, services and entries; admitted at once.
    case plugin
    /// Reads the tap.
    case monitor
    /// Asks and commands: the command line; admitted at once.
    case `operator`
}
