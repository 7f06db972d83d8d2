package import Bus
import Glibc
package import Logging
package import ZeroMQ

/// The host's side of the bus: its sockets, the links of the attached peers, and the requests between the links.
///
/// A ROUTER socket carries directed frames, an XPUB socket published ones. The hub delegates decisions to the objects
/// that are set as its ``authority``, ``observer``, ``routing``, ``container``, ``upstream`` and ``ledger``. It does
/// not know sessions, plugins, stores or screens, and a process can have several hubs.
@MainActor
package final class Hub: RequestCarrier {
    /// The maximum number of messages that wait for one subscriber. libzmq counts messages, not bytes, and drops
    /// further ones. Published frames are small, so a subscriber that does not read costs at most 16 MB.
    static let publisherHighWaterMark = 2000
    /// The largest payload of a published change, in bytes. Peers request a larger change.
    static let largestDelta = 8 << 10
    /// The interval between heartbeats, in both directions.
    static let heartbeat = Duration.milliseconds(1000)
    /// After this silence a peer has missed a heartbeat and may soon be detached.
    static let quietAfter = heartbeat * 3 / 2
    /// A hello of up to this size, in bytes, is read even when the host has fallen behind. Operators and plugins are
    /// few, and are admitted then, too.
    private static let smallHello = 4 << 10

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
    package private(set) var links: [UInt64: HubLink] = [:]
    private(set) var endpoints: [HostEndpoint] = []
    /// The addresses at which other processes reach the host.
    package var addresses: [String] { endpoints.map(\.bus).filter { !$0.hasPrefix("inproc:") } }
    package var counters = Counters()

    private let name: String
    private let context: SocketContext
    private let logger: Logger
    var bus: SocketPort?
    var publisher: SocketPort?
    private var linksByRoutingID: [RoutingID: HubLink] = [:]
    private var linksByPeer: [String: HubLink] = [:]
    private var nextLink: UInt64 = 1
    var head: UInt64 = 0
    var snapshots = SnapshotCache()
    var snapshotTurns = SnapshotTurns()
    var admission = Admission()
    private lazy var timer = LoopTimer { [weak self] in self?.tick() }
    private var beacons = Beacons(interval: Hub.heartbeat, now: .now)
    private lazy var beaconTimer = LoopTimer { [weak self] in self?.publishDueBeacon() }
    /// When ``timer`` was due. Its delay shows how far the host is behind.
    private var tickDue = ContinuousClock.now
    /// Until then no workers and monitors are admitted, because the host has not checked its existing links in time.
    private var isBehindUntil = ContinuousClock.now
    private var wasLate = false

    package init(name: String, context: SocketContext, logger: Logger) {
        self.name = name
        self.context = context
        self.logger = logger
        clock = HostClock(startedAt: .now)
        tap = TapPublisher(clock: clock)
    }

    // MARK: - Life

    /// Opens the sockets on all addresses.
    /// - Throws: ``HubAddressError`` that names the address which cannot be used.
    package func start(on addresses: [HostEndpoint]) throws {
        var options = SocketOptions()
        options.isMandatory = true
        options.sendHighWaterMark = 10_000
        // Peers bound what waits to be read by keeping to the send window. This limit applies to those that do not.
        options.receiveHighWaterMark = 1000
        options.linger = 200
        // Closes connections whose other side has vanished. A dead peer is found much earlier, by its silence. libzmq
        // searches all of its timers for each of them: with short intervals, this would be a fifth of the cost of a
        // thousand idle links.
        options.heartbeatInterval = 20_000
        options.usesIPv6 = addresses.contains { $0.bus.contains("[") }
        var publishing = SocketOptions()
        publishing.reportsEverySubscription = true
        publishing.receiveHighWaterMark = 0
        // Topics are short, and libzmq stores each byte of a subscription in forty bytes.
        publishing.maximumMessageSize = 1024
        publishing.sendHighWaterMark = Int32(Self.publisherHighWaterMark)
        publishing.usesIPv6 = options.usesIPv6
        let bus = try Socket(.router, in: context, options: options)
        let pub = try Socket(.verbosePublisher, in: context, options: publishing)
        for address in addresses {
            do {
                try bus.bind(address.bus)
                try pub.bind(address.publisher)
                endpoints.append(
                    HostEndpoint(
                        bus: HostEndpoint.plain(bus.lastEndpoint),
                        publisher: HostEndpoint.advertised(pub.lastEndpoint)))
            } catch {
                throw HubAddressError(isInUse: error.isAddressInUse, description: "cannot listen: \(error)")
            }
        }
        self.bus = SocketPort(bus) { [weak self] in self?.received($0) }
        publisher = SocketPort(pub) { [weak self] in self?.receivedSubscription($0) }
        tap.send = { [weak self] in _ = try? self?.publisher?.send($0) }
        setTimer()
        beaconTimer.set(for: beacons.due)
    }

    private func setTimer() {
        tickDue = .now + Self.heartbeat / 4
        timer.set(for: tickDue)
    }

    /// Sends a goodbye to all peers, and waits until each one has sent its last frames and its own goodbye or is gone,
    /// or until the time limit.
    /// - Returns: whether all peers are gone.
    package func sayGoodbye(within limit: Duration) async -> Bool {
        isEnding = true
        for link in links.values { send(Frame(.goodbye), to: link) }
        guard !links.isEmpty else { return true }
        let timer = LoopTimer { [weak self] in self?.everybodyIsGone() }
        timer.set(for: .now + limit)
        await withCheckedContinuation { goodbye = $0 }
        timer.cancel()
        return links.isEmpty
    }

    private func everybodyIsGone() {
        goodbye?.resume()
        goodbye = nil
    }

    /// Closes the sockets and removes all links.
    package func stop() {
        timer.cancel()
        beaconTimer.cancel()
        bus?.close()
        publisher?.close()
        for link in links.values { link.isAttached = false }
        links = [:]
        linksByRoutingID = [:]
        linksByPeer = [:]
        (authority, observer, routing) = (nil, nil, nil)
        (container, upstream, ledger) = (nil, nil, nil)
    }

    private func tick() {
        let now = ContinuousClock.now
        // Attached peers come first. Others try again, each after a longer wait. A host that was stopped only once has
        // read what arrived meanwhile by the next tick.
        let isLate = now - tickDue > Self.heartbeat / 4
        if isLate, wasLate { isBehindUntil = now + Self.heartbeat / 2 }
        wasLate = isLate
        if now < isBehindUntil { observer?.fellBehind() }
        let stoodStill = now - tickDue > Self.heartbeat
        var quiet: Set<UInt64> = []
        for link in links.values {
            if stoodStill { link.sendWindow.stoodStill(at: now) }
            if let silent = link.liveness.look(at: now) {
                detach(link, .silent(silent))
            } else if link.sendWindow.isStuck(at: now) {
                detach(link, .readsNothing)
            } else if link.liveness.silence(at: now) > Self.quietAfter {
                quiet.insert(link.id)
            }
        }
        observer?.quiet(quiet)
        snapshots.release()
        beginWaitingSnapshots(at: now)
        counters.set("refused: no descriptor for a connection", to: SocketContext.surplusConnections)
        setTimer()
    }

    private func publishDueBeacon() {
        let now = ContinuousClock.now
        beacons.sent(at: now)
        publishBeacon()
        beaconTimer.set(for: beacons.due)
    }

    /// Whether the host is shutting down, so that no peer may attach any more.
    private var isEnding = false
    /// Resumed when no link is left.
    private var goodbye: CheckedContinuation<Void, Never>?

    // MARK: - Receiving

    private func received(_ message: SocketPort.Message) {
        // A message of a ROUTER socket always has a sender.
        guard let sender = message.sender, !message.isMalformed else {
            return counters.add("dropped: not one frame")
        }
        let frame: Frame
        do {
            frame = try Frame(message.bytes)
            // The host may add to the frame. Its receiver must still be able to read it.
            try Frame.checkCarried(message.bytes.count)
        } catch {
            counters.add("dropped: \(error.code.rawValue)")
            if let link = linksByRoutingID[sender] { count(message.bytes.count, from: link) }
            return refuse(sender, message.bytes, unreadable: error)
        }
        counters.framesIn += 1
        if frame.kind == .hello { return greet(frame, size: message.bytes.count, from: sender) }
        guard let link = linksByRoutingID[sender] else {
            counters.add("dropped: unknown link")
            return refuse(sender, Refusal(.unknownLink, "this host does not know the link; say hello again"))
        }
        let now = ContinuousClock.now
        link.liveness.heard(at: now)
        count(message.bytes.count, from: link)
        if tap.isOn { tap.record(frame, size: message.bytes.count, from: link.name, to: "host") }
        switch frame.kind {
        case .heartbeat: receivedHeartbeat(frame, from: link, at: now)
        case .goodbye: detach(link, .goodbye)
        case .synchronize: synchronize(frame, from: link)
        case .request, .post, .reply, .failure, .cancel, .publish: route(frame, from: link)
        case .hello, .welcome, .refusal, .snapshot, .delta, .beacon, .tap:
            counters.add("dropped: \(frame.kind.name) from a peer")
        }
    }

    /// Routes a frame of a peer to its destination.
    func route(_ frame: Frame, from link: HubLink) {
        if frame.kind == .request, router.isOnItsWay(frame.id, of: link) {
            return count("dropped: request with an id that is in use")
        }
        if let rejection = router.routing?.rejection(of: frame, from: link) {
            count(rejection.reason)
            if frame.kind == .request, let error = rejection.error { router.refuse(frame, of: link, error) }
            return
        }
        switch frame.kind {
        case .request: router.request(frame, from: link)
        case .post: router.post(frame, from: link)
        case .reply, .failure: router.ended(frame, from: link)
        case .cancel: router.cancel(frame, from: link)
        case .publish: container?.publish(frame, from: link)
        default: break
        }
    }

    /// Counts the bytes from a peer, even of an unreadable frame, and reports them to the peer in time.
    private func count(_ bytes: Int, from link: HubLink) {
        if link.receivedBytes.received(bytes) { sendHeartbeat(id: 0, to: link) }
    }

    private func receivedHeartbeat(_ frame: Frame, from link: HubLink, at now: ContinuousClock.Instant) {
        if !frame.payload.isEmpty {
            do {
                let heartbeat = try frame.decodePayload(as: Heartbeat.self)
                if !link.sendWindow.arrived(heartbeat.received, at: now) {
                    // With such a report a peer could make the hub send more and more data that the peer does not read.
                    return detach(link, .misreports)
                }
                // Callers in the peer may wait for this part although their replies have arrived already.
                sendUnsentPart(to: link)
                sendHeld(to: link)
                router.goOnWaiting(for: link)
                if let drops = heartbeat.drops { link.drops = drops.counts }
            } catch {
                counters.add("dropped: unreadable heartbeat")
            }
        }
        // The reply identifies the heartbeat, because a worker's lease counts from when it sent that heartbeat.
        if frame.id != 0 { sendHeartbeat(id: frame.id, to: link) }
    }

    /// Refuses a peer after a frame that cannot be read. A peer of another version is told the supported versions, and
    /// a peer whose hello is too large is told the limit. Other bytes get no reply.
    private func refuse(_ routingID: RoutingID, _ bytes: [UInt8], unreadable error: FrameError) {
        switch error.code {
        case .otherVersion:
            refuse(routingID, Refusal(.version, "\(error); this host speaks \(ProtocolVersionRange.current)"))
        case .tooLarge where bytes[2] == FrameKind.hello.rawValue: refuse(routingID, Refusal(.malformed, "\(error)"))
        default: break
        }
    }

    private func refuse(_ routingID: RoutingID, _ refusal: Refusal) {
        // A refusal can always be encoded. If the peer is gone by now, it needs none.
        guard let bytes = try? Frame(.refusal).encoded(payload: refusal) else { return }
        guard (try? bus?.send(bytes, to: routingID)) == true else { return }
        // A peer that has a link counts the refusal's bytes, too.
        linksByRoutingID[routingID]?.sendWindow.sent(bytes.count, at: .now)
    }

    private func greet(_ frame: Frame, size: Int, from routingID: RoutingID) {
        // The peer tries again and finds the next life of this host.
        guard !isEnding else { return counters.add("dropped: hello while ending") }
        let now = ContinuousClock.now
        // Checked before decoding: to decode thousands of large hellos would take as long as to admit them.
        let isBehind = now < isBehindUntil
        guard !isBehind || frame.payload.count <= Self.smallHello else { return refuseBusy(routingID) }
        let hello: Hello
        do {
            hello = try frame.decodePayload(as: Hello.self, limits: Hello.limits)
        } catch {
            counters.add("refused: unreadable hello")
            return refuse(routingID, Refusal(.malformed, "\(error)"))
        }
        let version: Int
        switch Admission.check(hello) {
        case .speaks(let common): version = common
        case .isOfOtherVersion(let refusal): return refuse(hello, refusal, from: routingID)
        case .isBeyondBounds(let refusal):
            // Not logged, because none of its texts has a bounded size.
            counters.add("refused: hello beyond measure")
            return refuse(routingID, refusal)
        }
        if let old = linksByRoutingID[routingID] { detach(old, .cameBack) }
        // The same process on a new connection. The old link is dead, even if it has not been silent for long.
        if let old = linksByPeer[hello.peer], old.hello.process == hello.process { detach(old, .cameBack) }
        guard admission.hasTime(for: hello, isBehind: isBehind, at: now) else { return refuseBusy(routingID, hello) }
        let identity = PeerIdentity(connection: routingID)
        if let refusal = Admission.refusal(
            of: hello, rules: authority?.rules ?? Admission.Rules(), namesake: linksByPeer[hello.peer]?.hello.pid,
            linkCount: links.count, registration: authority?.registration(of: hello, from: identity))
        {
            authority?.refused(hello, refusal)
            return refuse(hello, refusal, from: routingID)
        }
        let link = HubLink(
            id: nextLink, routingID: routingID, hello: hello, liveness: Liveness(interval: Self.heartbeat, now: now))
        nextLink += 1
        _ = link.receivedBytes.received(size)
        links[link.id] = link
        linksByRoutingID[routingID] = link
        linksByPeer[hello.peer] = link
        let welcome = Welcome(
            version: version, epoch: epoch, link: link.id, publisher: publisherAddress(for: hello.endpoint),
            heartbeat: Int(Self.heartbeat / .milliseconds(1)), clock: clock.microseconds(at: now), host: name,
            pid: getpid(),
            credits: RequestRouter.credits)
        if let bytes = try? Frame(.welcome).encoded(payload: welcome) { send(bytes, of: Frame(.welcome), to: link) }
        router.attached(link)
        observer?.attached(link)
        router.goOnWaiting(for: link)
    }

    private func refuse(_ hello: Hello, _ refusal: Refusal, from routingID: RoutingID) {
        logger.warning("refused a peer", metadata: ["peer": "\(hello.peer)", "reason": "\(refusal.reason)"])
        refuse(routingID, refusal)
    }

    /// - Parameter hello: the peer's hello; `nil` when it was not decoded.
    private func refuseBusy(_ routingID: RoutingID, _ hello: Hello? = nil) {
        counters.add("refused: busy")
        refuse(routingID, Admission.busy)
        authority?.refused(hello, Admission.busy)
    }

    private func publisherAddress(for endpoint: String) -> String {
        let scheme = endpoint.prefix { $0 != ":" }
        // A host that listens on a wildcard address is reached under another address. The port identifies the socket.
        let port = endpoint.split(separator: ":").last ?? ""
        let match =
            endpoints.first { $0.bus == endpoint }
            ?? endpoints.first { $0.bus.hasPrefix("\(scheme):") && $0.bus.hasSuffix(":\(port)") }
            ?? endpoints.first { $0.bus.hasPrefix("\(scheme):") }
        return (match ?? endpoints.first)?.publisher ?? ""
    }

    /// Returns the link of a peer. Names are unique among the attached peers.
    package func link(named peer: String) -> HubLink? { linksByPeer[peer] }

    private func detach(_ link: HubLink, _ departure: Departure) {
        guard links.removeValue(forKey: link.id) != nil else { return }
        link.isAttached = false
        if departure == .readsNothing || departure == .misreports { counters.add("detached: \(departure)") }
        link.end?.cancel()
        snapshotTurns.ended(link.id)
        linksByRoutingID[link.routingID] = nil
        if linksByPeer[link.name] === link { linksByPeer[link.name] = nil }
        router.detached(link, reason: departure.description)
        observer?.detached(link, departure)
        if links.isEmpty { everybodyIsGone() }
    }

    /// How long frames that a process sent before its end may still be in transit.
    private static let lastWords = Duration.milliseconds(100)

    /// Handles the end of a process. Its link is dead before its silence shows that. Unless the process was killed, the
    /// frames that it sent last are received first, such as the state of its scenes and its goodbye.
    package func processEnded(_ pid: Int32, peer: String, wasKilled: Bool) {
        guard let link = linksByPeer[peer], link.hello.pid == pid else { return }
        if wasKilled { return detach(link, .killed) }
        link.end = LoopTimer { [weak self, weak link] in
            if let link { self?.detach(link, .ended) }
        }
        link.end?.set(for: .now + Self.lastWords)
    }

    private func receivedSubscription(_ message: SocketPort.Message) {
        guard let verb = message.bytes.first, verb <= 1 else { return }
        let topic = message.bytes.dropFirst()
        if topic.elementsEqual(Frame.topic(.tap)) { tap.isOn = verb == 1 }
        // A peer that subscribes to the beacons waits for one, which shows that published frames arrive from now on.
        guard verb == 1, topic.elementsEqual(Frame.topic(.beacon)) else { return }
        beacons.subscribed(among: links.count)
        if beaconTimer.deadline.map({ beacons.due < $0 }) ?? true { beaconTimer.set(for: beacons.due) }
    }
}
