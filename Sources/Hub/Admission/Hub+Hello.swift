import Access
import Bus
import Glibc
import Logging
import Messaging
import ZeroMQ

/// The handshake: the answer to a peer's hello, which is a welcome or a refusal.
extension Hub {
    /// A hello of up to this size, in bytes, is read even when the host has fallen behind. It may be from an operator
    /// or a plugin. These are few, and are admitted even then.
    private static let smallHello = 4 << 10

    /// - Parameter origin: where the hello comes from; `nil` when that is not known, as for one behind another frame.
    func greet(_ frame: Frame, size: Int, from routingID: RoutingID, _ origin: MessageOrigin?) {
        let earlier = state.linksByRoutingID[routingID]
        let connection = origin?.connection ?? earlier?.connection?.descriptor
        // A connection keeps its key.
        let key = origin?.key ?? earlier?.access?.key
        // It is refused perhaps, and said again later.
        if let connection { gate?.heard(connection) }
        let opener = PeerOwner(connection: connection)
        let identity = PeerIdentity(connection: routingID, process: opener.process, key: key)
        // The peer tries again and finds the next life of this host.
        guard !isEnding else { return state.counters.add("dropped: hello while ending") }
        let now = MonotonicInstant.now
        // Checked before decoding: to decode thousands of large hellos would take as long as to admit them.
        let isBehind = backlog.isBehind(at: now)
        guard !isBehind || frame.payload.count <= Self.smallHello else { return refuseBusy(identity) }
        let hello: Hello
        do {
            hello = try frame.decodePayload(as: Hello.self, limits: Hello.limits)
        } catch {
            state.counters.add("refused: unreadable hello")
            return refuse(routingID, Refusal(.malformed, "\(error)"))
        }
        let version: Int
        switch Admission.check(hello) {
        case .speaks(let common): version = common
        case .isOfOtherVersion(let refusal): return refuse(hello, refusal, from: identity)
        case .isBeyondBounds(let refusal):
            // Not logged, because none of its texts has a bounded size.
            state.counters.add("refused: hello beyond measure")
            return refuse(routingID, refusal)
        }
        // Nobody has attested who is at the other end of a connection over the network, or which connection it is.
        if hasKeys, key == nil, earlier == nil, origin == nil || opener.isMachine {
            let reason = "a hello must be the first frame of its message, and over TCP its sender must have a key"
            return refuse(hello, Refusal(.malformed, reason), from: identity)
        }
        let access = key.flatMap { authority?.access(of: $0) }
        if let key {
            if let connection { gate?.attested(connection, key) }
            if let refusal = access == nil ? refusal(ofKey: key, named: "\(key)") : access?.refusal(of: hello) {
                authority?.refused(hello, refusal, from: identity)
                return refuse(hello, refusal, from: identity)
            }
        }
        let owner = PeerOwner(access, opener)
        if let old = state.linksByRoutingID[routingID] { detach(old, .cameBack) }
        // What was sent on the connection waits in libzmq until it is read. A new link must not make that more and more.
        let unread = endedLinks.unread(on: routingID)
        guard unread <= EndedLinks.limit else {
            state.counters.add("refused: hello on a connection with unread frames")
            let reason =
                "\(unread) bytes of an earlier link may be unread on this connection; open a new one for a new link"
            return refuse(routingID, Refusal(.full, reason))
        }
        // The same process on a new connection. The old link is dead, even if it has not been silent for long.
        if let old = linksByPeer[hello.peer],
            Admission.isSameProcess(hello, of: opener, as: old.hello, of: old.opener)
        {
            detach(old, .cameBack)
        }
        guard admission.hasTime(for: hello, isBehind: isBehind, at: now) else {
            return refuseBusy(identity, hello, isBehind ? Admission.busy : admission.busy(hello, at: now))
        }
        let rules = authority?.rules ?? Admission.Rules()
        let registration = authority?.registration(of: hello, from: identity)
        let kind: LinkPlaces.Kind =
            hello.role == .operator ? .operators : registration?.isOwn == true ? .own : .shared
        let place = Admission.place(
            for: hello.role, kind, of: owner, in: places, maximum: rules.maximumLinks, operators: operators)
        if let refusal = Admission.refusal(
            of: hello, rules: rules, namesake: linksByPeer[hello.peer]?.hello.pid, linkCount: places.count,
            place: place, registration: registration)
        {
            authority?.refused(hello, refusal, from: identity)
            return refuse(hello, refusal, from: identity)
        }
        // Before another one of the same owner gives up its place for it.
        let hasComeBack = hello.role == .operator && displacedOperators.comesBack(owner, at: now)
        if case .of(let operatorLink) = place { giveUpPlace(operatorLink, to: hello, at: now) }
        addNames(hello.handles, of: access?.entry.name ?? hello.peer)
        let names = state.texts.names.texts(access?.entry.role == .invitation ? 0 : hello.names ?? 0)
        let link = HubLink(
            id: nextLink, routingID: routingID, hello: hello, opener: opener, access: access, place: kind,
            names: names.count, liveness: Liveness(interval: Self.heartbeat, now: now), unread: unread)
        nextLink += 1
        link.hasComeBack = hasComeBack
        link.connection = connection.flatMap { gate?.linked($0) }
        _ = link.traffic.receivedBytes.received(size)
        _ = link.traffic.account.keep(size, for: .hello)
        links[link.id] = link
        places.add(kind, of: owner)
        refusals.attached(hello.peer)
        state.linksByRoutingID[routingID] = link
        linksByPeer[hello.peer] = link
        let welcome = Welcome(
            version: version, epoch: epoch, link: link.id, publisher: publisherAddress(for: hello.endpoint),
            heartbeat: Int(Self.heartbeat / .milliseconds(1)), clock: clock.microseconds(at: now), host: name,
            pid: getpid(),
            credits: Credits.ofPeer, batch: OutgoingFrames.maximumBatch, names: names.isEmpty ? nil : names,
            publishes: PublishAnswer.maximumUnanswered,
            nextKey: key == nil ? nil : nextKey.map { "\($0)" }, software: SceneBusVersion.current)
        if let bytes = try? Frame(.welcome).encoded(payload: welcome) { send(bytes, .welcome, to: link) }
        router.attached(link)
        observer?.attached(link)
        router.goOnWaiting(for: link)
    }

    private var operators: [Admission.Operator] {
        links.values.filter { $0.hello.role == .operator }.map {
            Admission.Operator(
                link: $0.id, owner: $0.owner, isBusy: $0.inFlight > 0, hasComeBack: $0.hasComeBack)
        }
    }

    /// Ends an operator's link, because the host is full and another peer needs its place.
    private func giveUpPlace(_ operatorLink: UInt64, to hello: Hello, at now: MonotonicInstant) {
        guard let link = links[operatorLink] else { return }
        let reason = "the host is full, and '\(hello.peer)' needs the place of an operator; this one may come back"
        displacedOperators.add(link.owner, at: now)
        refuse(link.routingID, Refusal(.full, reason))
        detach(link, .gaveUpPlace)
    }

    private func refuse(_ hello: Hello, _ refusal: Refusal, from identity: PeerIdentity) {
        // A peer that may retry does so for as long as it takes. The first attempt is worth a line.
        let leftOut = refusals.note(refusal, of: hello.peer, key: identity.key, at: .now)
        var metadata: Logger.Metadata = [
            "peer": "\(String(foreign: hello.peer))", "reason": "\(String(foreign: refusal.reason))",
        ]
        if let leftOut, leftOut > 0 { metadata["since the last line"] = "\(leftOut) more" }
        logger.log(level: leftOut == nil ? .debug : .warning, "refused a peer", metadata: metadata)
        refuse(identity.connection, refusal)
    }

    /// - Parameter hello: the peer's hello; `nil` when it was not decoded.
    private func refuseBusy(
        _ identity: PeerIdentity, _ hello: Hello? = nil, _ refusal: Refusal = Admission.busy
    ) {
        state.counters.add("refused: busy")
        refuse(identity.connection, refusal)
        authority?.refused(hello, refusal, from: identity)
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

    // MARK: - Refusals

    /// Refuses a peer after a frame that cannot be read, if the peer can do something about it.
    func refuse(_ routingID: RoutingID, _ bytes: ArraySlice<UInt8>, unreadable error: FrameError) {
        if let refusal = Admission.refusal(ofUnreadable: bytes, error) { refuse(routingID, refusal) }
    }

    func refuse(_ routingID: RoutingID, _ refusal: Refusal) {
        // A refusal can always be encoded. If the peer is gone by now, it needs none.
        guard let bytes = try? Frame(.refusal).encoded(payload: refusal) else { return }
        // It must not overtake what the peer is sent in this turn.
        if let link = state.linksByRoutingID[routingID] { flush(link) }
        guard (try? bus?.send(bytes, to: routingID)) == true else { return }
        // A peer that has a link counts the refusal's bytes, too.
        state.linksByRoutingID[routingID]?.traffic.sendWindow.sent(bytes.count, at: .now)
    }
}
