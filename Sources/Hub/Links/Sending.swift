/// The outcome of sending a frame to a peer.
package enum Sending {
    case sent
    /// Too much is waiting for the peer already.
    case noRoom
    /// The connection is closed: the peer has ended, or is attaching again.
    case gone
}
