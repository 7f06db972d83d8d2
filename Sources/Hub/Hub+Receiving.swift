import Access
import Bus
import Messaging
import ZeroMQ

/// Frames from peers.
extension Hub {
    func received(_ message: SocketMessage) {
        // A message of a ROUTER socket always has a sender.
        guard let sender = message.sender, !message.isMalformed else {
            return state.counters.add("dropped: not one frame")
        }
        read(PeerMessage(message, from: sender, to: self))
    }

    private func read(_ message: consuming PeerMessage) {
        guard !message.read(within: TurnLimits.message) else { return }
        let rest = message
        bus?.continueLater { self.read(rest) }
    }

    /// A message of a peer that is being read.
    private struct PeerMessage: MessageReader {
        private let hub: Hub
        private let sender: RoutingID
        private var frames: ReceivedFrames
        private var link: HubLink?
        /// Whether an earlier frame of the message was refused because the link is unknown.
        private var isRefused = false
        /// Where a message that begins with a hello comes from.
        private let origin: MessageOrigin?

        init(_ message: SocketMessage, from sender: RoutingID, to hub: Hub) {
            self.hub = hub
            self.sender = sender
            origin = message.origin
            frames = ReceivedFrames(message.bytes)
        }

        var isAtEnd: Bool { frames.isAtEnd }

        mutating func readNext(at now: MonotonicInstant) -> Bool {
            guard let bytes = frames.next() else { return false }
            // The frame before, or its handler, may have attached or detached the peer.
            if link?.isAttached != true { link = hub.state.linksByRoutingID[sender] }
            hub.received(bytes, from: sender, origin, link, at: now, &isRefused)
            return true
        }
    }

    private func received(
        _ bytes: ArraySlice<UInt8>, from sender: RoutingID, _ origin: MessageOrigin?, _ link: HubLink?,
        at now: MonotonicInstant, _ isRefused: inout Bool
    ) {
        var frame: Frame
        do {
            frame = try Frame(bytes, &state.texts, names: link?.names ?? 0)
            // The host may add to the frame. Its receiver must still be able to read it.
            try Frame.checkCarried(bytes.count)
        } catch {
            // Only its link would know the index of its name.
            if link == nil, error.code == .badText, Frame.hasNameIndex(bytes) {
                return refuseUnknownLink(sender, &isRefused)
            }
            state.counters.add("dropped: \(error.code.rawValue)")
            if let link { countReceived(bytes.count, from: link) }
            return refuse(sender, bytes, unreadable: error)
        }
        state.counters.framesIn += 1
        if frame.kind == .hello { return greet(frame, size: bytes.count, from: sender, origin) }
        guard let link else { return refuseUnknownLink(sender, &isRefused) }
        link.traffic.liveness.heard(at: now)
        countReceived(bytes.count, from: link)
        if tap.isOn { tap.record(frame, size: bytes.count, from: link.name, to: TapRecord.host) }
        if !frame.actor.isEmpty, !attestUser(of: &frame, from: link) { return }
        if link.hasKey, !(link.sendsAll && isOfApplication(frame, of: link)), !isAllowed(frame, of: link) { return }
        switch frame.kind {
        case .heartbeat: receivedHeartbeat(frame, from: link, at: now)
        case .goodbye: detach(link, .goodbye)
        case .synchronize: synchronize(frame, from: link)
        case .request where frame.parent != 0 || frame.flags.contains(.passedOn),
            .post where frame.parent != 0 || frame.flags.contains(.passedOn):
            if let actor = router.actor(ofParentOf: frame, by: link) { frame.actor = actor }
            // Nobody passes on what it cannot have been handed: it would go past those that handle it.
            if link.hasKey, !link.mayBeHanded(frame.name) { frame.flags.remove(.passedOn) }
            route(frame, from: link)
        case .request, .post, .reply, .failure, .cancel, .publish: route(frame, from: link)
        case .hello, .welcome, .refusal, .snapshot, .delta, .beacon, .tap:
            state.counters.add("dropped: \(frame.kind.name) from a peer")
        }
    }

    /// Whether a frame is a message that the application defines, about no session in which the peer has no part: most of what
    /// peers send.
    private func isOfApplication(_ frame: Frame, of link: HubLink) -> Bool {
        switch frame.kind {
        case .request, .post:
            frame.isPlain && (frame.session.isEmpty || router.provesSession(frame, of: link))
        default: false
        }
    }

    /// Returns whether the key of a peer allows a frame. A request that is not allowed is refused.
    private func isAllowed(_ frame: Frame, of link: HubLink) -> Bool {
        guard let access = link.access,
            let error = access.refusal(
                of: frame, provesSession: router.provesSession(frame, of: link), configuration: configuration(of:))
        else { return true }
        refuse(frame, from: link, for: MessageActor(text: frame.actor)?.user, error)
        return false
    }

    /// Puts the actor in the place of the user for whom a peer says it acts.
    /// - Returns: `false` if the peer may not say so. The frame is refused then.
    private func attestUser(of frame: inout Frame, from link: HubLink) -> Bool {
        guard frame.kind == .request || frame.kind == .post else {
            frame.actor = ""
            return true
        }
        let actor = MessageActor(
            role: link.hello.role, peer: link.name, key: link.access?.entry.name, user: frame.actor)
        if let error = actor.problem.map({ MessageError(.malformed, message: frame.name, detail: $0) })
            ?? link.access?.refusal(ofActingFor: frame.actor, with: frame.name)
        {
            refuse(frame, from: link, for: nil, error)
            return false
        }
        frame.actor = actor.text
        return true
    }

    /// Refuses what a peer may not send.
    /// - Parameter user: the user for whom it acts; `nil` for itself.
    private func refuse(_ frame: Frame, from link: HubLink, for user: String?, _ error: MessageError) {
        count(error.code == .unauthorized ? "refused: not allowed by the peer's key" : "refused: impossible user")
        observer?.refused(frame.name, of: link, for: user, error.detail)
        // A second request with the same id gets no answer, as for any peer.
        if frame.kind == .request, !router.isOnItsWay(frame.id, of: link) { router.refuse(frame, of: link, error) }
    }

    /// The configuration of a session; `nil` if there is no such session.
    func configuration(of session: String) -> String? { router.routing?.configuration(ofSession: session) }

    private func refuseUnknownLink(_ sender: RoutingID, _ isRefused: inout Bool) {
        state.counters.add("dropped: unknown link")
        guard !isRefused else { return }
        isRefused = true
        refuse(sender, Refusal(.unknownLink, "this host does not know the link; say hello again"))
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
        case .reply, .failure: router.receivedEnd(frame, from: link)
        case .cancel: router.cancel(frame, from: link)
        case .publish: container?.publish(frame, from: link)
        default: break
        }
    }

    /// Counts the bytes from a peer, even of an unreadable frame, and reports them to the peer in time.
    private func countReceived(_ bytes: Int, from link: HubLink) {
        if link.traffic.receivedBytes.received(bytes) { sendHeartbeat(id: 0, to: link) }
    }
}
