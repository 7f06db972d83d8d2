/// How many requests one side of a link may have in flight to the other.
///
/// The host grants a peer credits in its welcome, and a peer grants the host credits in its hello.
package enum Credits {
    /// The credits that the host grants each peer.
    package static let ofPeer = 2048

    /// The credits that a hello or a welcome grants: at least one, so that the link can be used; no number means no
    /// limit.
    package static func granted(_ number: Int?) -> Int { max(1, number ?? .max) }
}
