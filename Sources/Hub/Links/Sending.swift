/// What became of a frame for a peer.
package enum Sending {
    case sent
    /// So much waits for the peer already that no more is taken.
    case noRoom
    /// Its connection is closed: the peer has ended, or attaches anew.
    case gone
}
