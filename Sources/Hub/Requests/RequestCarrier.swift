import Bus
import Messaging

/// What a ``RequestRouter`` needs from its hub.
@MainActor
protocol RequestCarrier: AnyObject {
    var clock: HostClock { get }
    /// The container's revision.
    var head: UInt64 { get }
    var links: [UInt64: HubLink] { get }

    /// Routes a frame of a peer to its destination.
    func route(_ frame: Frame, from link: HubLink)
    @discardableResult
    func send(_ frame: Frame, to link: HubLink) -> Sending
    /// Sends a peer the reply to its request, or holds the reply until there is room in the send window.
    /// - Returns: `false` when too much is held already.
    func sendEnd(_ bytes: [UInt8], _ kind: FrameKind, to link: HubLink) -> Bool
    /// Returns a frame that was encoded for a peer.
    func decoded(_ bytes: ArraySlice<UInt8>, for link: HubLink) -> Frame?
    func count(_ what: String)
}
