import Bus

/// What a ``RequestRouter`` needs of the hub that it belongs to.
@MainActor
protocol RequestCarrier: AnyObject {
    var clock: HostClock { get }
    /// The container's revision.
    var head: UInt64 { get }
    var links: [UInt64: HubLink] { get }
    var routing: (any HubRouting)? { get }
    var upstream: (any HubUpstream)? { get }
    var ledger: (any RequestLedger)? { get }

    /// Takes a frame of a peer to whoever it is for.
    func route(_ frame: Frame, from link: HubLink)
    @discardableResult
    func send(_ frame: Frame, to link: HubLink) -> Sending
    /// Sends a peer the end of its request, or lets it wait until the peer has read others.
    /// - Returns: `false` when too much waits.
    func sendEnd(_ bytes: [UInt8], of end: Frame, to link: HubLink) -> Bool
    func count(_ what: String)
}
