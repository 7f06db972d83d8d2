package import Bus
package import Logging
package import ZeroMQ

/// The host's side of the bus: its sockets, the links of the attached peers, and the requests between the links.
///
/// A ROUTER socket carries directed frames, an XPUB socket published ones. The hub delegates decisions to the objects
/// that are set as its ``authority``, ``observer``, ``routing``, ``container``, ``upstream`` and ``ledger``. It does
/// not know sessions, plugins, stores or screens.
@MainActor
package final class Hub: RequestCarrier, TurnOutput {
    /// The largest payload of a published change, in bytes. Peers request a larger change.
    static let largestDelta = 8 << 10
    /// The interval between heartbeats, in both directions.
    static let heartbeat = Duration.milliseconds(1000)

    /// The epoch of the host's life, in milliseconds since 1970. It is larger than in every earlier life, and is set
    /// before the hub starts.
    package var epoch: UInt64 = 0
    package let clock: HostClock
    let tap: TapPublisher
    // The hub keeps these until it is stopped. A weak reference would cost each request several slow loads.

    /// Knows the facts on which admission depends; `nil` admits every peer that the protocol admits.
    package var authority: (any AdmissionAuthority)?
    /// Is notified when peers attach and leave.
    package var observer: (any HubObserver)?
    /// Decides which frames may be routed.
    package var routing: (any HubRouting)? {
        get { router.routing }
        set { router.routing = newValue }
    }
    /// Owns the container that is published.
    package var container: (any ContainerOwner)?
    /// Handles the messages that no peer handles.
    package var upstream: (any HubUpstream)? {
        get { router.upstream }
        set { router.upstream = newValue }
    }
    /// Keeps the records of requests that must not be handled twice.
    package var ledger: (any RequestLedger)? {
        get { router.ledger }
        set { router.ledger = newValue }
    }
    /// Carries requests between the links.
    package private(set) lazy var router = RequestRouter(self)
    package internal(set) var links: [UInt64: HubLink] = [:]
    var endpoints: [HostEndpoint] = []
    /// The addresses at which other processes reach the host.
    package var addresses: [String] { endpoints.map(\.bus).filter { !$0.hasPrefix("inproc:") } }
    package var counters: Counters { state.counters }
    // The runtime does not check accesses to it for overlaps: see "Hot paths" in Contributing. While one lasts, nothing else
    // uses it: what is called meanwhile gets a part of it, and does not call back.
    @exclusivity(unchecked) var state = State()

    /// What the hub needs for each frame.
    struct State {
        var counters = Counters()
        var linksByRoutingID: [RoutingID: HubLink] = [:]
        /// The texts of the frames from the peers, and the names that have an index.
        var texts = FrameTexts()
        /// The links with frames that have not left yet.
        var unsent: [HubLink] = []
        /// Whether this turn ends with a ``Hub/flush()``.
        var isFlushDue = false
    }

    let name: String
    let context: SocketContext
    let logger: Logger
    var bus: SocketPort?
    var publisher: SocketPort?
    /// Publishes to the peers with keys; `nil` without keys.
    var keyedPublisher: SocketPort?
    /// The key that is about to take the place of the host's, or that has done so; `nil` for none. Peers with keys are told.
    package var nextKey: PublicKey?
    /// Whether TCP connections have keys.
    var hasKeys: Bool { keyedPublisher != nil }
    /// The connections that may have keys which are not in force any more. Those that have are closed once their peers have been
    /// told.
    var closing: Set<ConnectionGate.Connection> = []
    /// The keys whose lines have changed.
    var changedKeys: Set<PublicKey> = []
    private(set) lazy var closingTimer = LoopTimer { [weak self] in self?.closeConnections() }
    /// Watches the connections to the sockets; `nil` before they are open.
    var gate: ConnectionGate?
    var pressureLog = PressureLog()
    private var nameShares = NameShares()
    var linksByPeer: [String: HubLink] = [:]
    /// What ended links have left unread on their connections.
    var endedLinks = EndedLinks()
    /// The links that have missed a heartbeat, and those whose process has ended.
    var quiet: Set<UInt64> = []
    var nextLink: UInt64 = 1
    /// The container's revision.
    package internal(set) var head: UInt64 = 0
    var snapshots = SnapshotCache()
    var snapshotTurns = SnapshotTurns()
    var admission = Admission()
    /// The refusals that have been logged.
    var refusals = LoggedRefusals()
    /// The places that the links take.
    var places = LinkPlaces()
    /// Whose operators have given up their places.
    var displacedOperators = DisplacedOperators()
    private(set) lazy var timer = LoopTimer { [weak self] in self?.tick() }
    var beacons = Beacons(interval: Hub.heartbeat, now: .now)
    private(set) lazy var beaconTimer = LoopTimer { [weak self] in self?.publishDueBeacon() }
    var backlog = Backlog(heartbeat: Hub.heartbeat, now: .now)
    /// Whether the host is shutting down, so that no peer may attach any more.
    var isEnding = false
    /// Resumed when no link is left.
    var goodbye: CheckedContinuation<Void, Never>?

    package init(name: String, context: SocketContext, logger: Logger) {
        self.name = name
        self.context = context
        self.logger = logger
        clock = HostClock(startedAt: .now)
        tap = TapPublisher(clock: clock)
    }

    /// Begins or ends to send the tap to a peer over its link. What has no room on its way to the peer is left out.
    package func watch(_ link: UInt64, isOn: Bool) {
        if links[link] != nil { tap.watch(link, isOn: isOn) }
    }

    /// Gives names of messages an index, as far as there is room. Peers that attach later may refer to them by it.
    /// - Parameter peer: the peer that handles the messages, which has its share of the indices; `nil` for this process.
    package func addNames(_ names: [String], of peer: String? = nil) {
        nameShares.add(names, of: peer, to: &state.texts.names)
    }

    // MARK: - Life cycle

    /// Closes the sockets and removes all links.
    package func stop() {
        timer.cancel()
        beaconTimer.cancel()
        flush()
        // What could not be sent has made replies.
        flush()
        bus?.close()
        bus = nil
        publisher?.close()
        keyedPublisher?.close()
        closingTimer.cancel()
        gate = nil
        for link in links.values { link.traffic.isAttached = false }
        links = [:]
        places = LinkPlaces()
        state.linksByRoutingID = [:]
        linksByPeer = [:]
        state.unsent = []
        (authority, observer, routing) = (nil, nil, nil)
        (container, upstream, ledger) = (nil, nil, nil)
    }

    private func publishDueBeacon() {
        let now = MonotonicInstant.now
        beacons.sent(at: now)
        publishBeacon()
        beaconTimer.set(for: beacons.due)
    }
}
