/// The outcome of sending a frame to a peer.
package enum Sending {
    /// It is sent at the end of the turn, at the latest.
    case sent
    /// Too much is waiting for the peer already.
    case noRoom
    /// The peer gets nothing more: see ``HubLinkTraffic/isGone``.
    case gone
}
