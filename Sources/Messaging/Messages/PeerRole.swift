public import CBOR

/// The role of a peer.
///
/// It decides which peers get scenes, which frames must have a fencing token, and which peers wait for admission when
/// many attach at once. It grants no other rights: every peer may send, read, and provide what its hello lists.
public enum PeerRole: String, Codable, Sendable, CaseIterable {
    /// Runs scenes. A frame that it sends for a session must have that session's token.
    case worker
    /// Adds responders, services and entries. It is admitted at once.
    case plugin
    /// Reads the tap.
    case monitor
    /// Sends queries and commands, as the command line does. It is admitted at once.
    case `operator`
}

extension PeerRole: CBORItem {}
