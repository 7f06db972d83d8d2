package import Bus
package import Messaging

/// Receives the events of a peer. Every function has an empty default implementation.
@MainActor
package protocol PeerDelegate: AnyObject {
    /// The peer is attached, for the first time or again.
    func peerIsAttached(_ peer: Peer)
    /// The copy of the host's container has changed.
    func peer(_ peer: Peer, changed dependencies: AppDependency)
    /// The link to the host is lost. The peer tries to attach again by itself.
    func peer(_ peer: Peer, lost loss: LinkMachine.Loss)
    /// The host shuts down, and the link is about to reply to its goodbye.
    func hostIsEnding(_ peer: Peer)
    /// The peer ends, and its link is about to send goodbye.
    func peerWillEnd(_ peer: Peer)
}

extension PeerDelegate {
    package func peerIsAttached(_ peer: Peer) {}
    package func peer(_ peer: Peer, changed dependencies: AppDependency) {}
    package func peer(_ peer: Peer, lost loss: LinkMachine.Loss) {}
    package func hostIsEnding(_ peer: Peer) {}
    package func peerWillEnd(_ peer: Peer) {}
}
