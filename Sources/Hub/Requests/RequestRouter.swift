// Hot path: it runs for each request. See "Hot paths" in Contributing.

package import Bus
import CBOR
import Messaging
import ZeroMQ

/// Carries requests to their handlers, and replies back to the senders.
///
/// A request goes to the peer that was the first to attach of those that handle the message, or else to the hub's upstream. A
/// message that a peer passes on goes to the next one above that peer.
@MainActor
package final class RequestRouter {
    /// A request that was handed on to a peer, or that waits for one.
    struct Forward {
        var origin: RequestOrigin
        /// `nil` while it waits for a peer that handles it.
        var target: HubLink?
        var name: String
        var nameIndex: NameIndex
        /// The session for which it was sent; empty for none.
        var session: String
        /// The text of the actor for whom it was sent; empty for this process.
        var actor: String
        /// The frame to send again when the target is gone; `nil` for a request that is sent only once.
        var kept: KeptFrame?
        /// How many targets it was sent to. The outcome at the last one says nothing about the earlier ones.
        var sentCount = 0
    }

    /// How long a request without a deadline may wait.
    private static let defaultTimeout = Duration.seconds(30)
    /// The tolerance for deadlines from peers, which know the host's clock only approximately.
    package nonisolated static let clockMargin = Duration.seconds(60)
    /// The longest time to a deadline, in nanoseconds.
    private static let maximumWait = Int64((Frame.maximumTimeout + clockMargin) / .nanoseconds(1))

    unowned let hub: any RequestCarrier
    let clock: HostClock
    /// Decides which frames may be routed.
    var routing: (any HubRouting)? {
        get { state.routing }
        set { state.routing = newValue }
    }
    /// Handles the messages that no peer handles.
    var upstream: (any HubUpstream)? {
        get { state.upstream }
        set { state.upstream = newValue }
    }
    /// Keeps the records of requests that must not be handled twice.
    var ledger: (any RequestLedger)? {
        get { state.ledger }
        set { state.ledger = newValue }
    }
    /// Which peers are expected, and until when.
    package var expectation: HandlerExpectation {
        get { state.expectation }
        set { state.expectation = newValue }
    }
    // The runtime does not check accesses to it for overlaps: see "Hot paths" in Contributing. While one lasts, nothing else
    // uses it: a closure that is called meanwhile has copies.
    @exclusivity(unchecked) var state = State()

    /// What the router needs for each request.
    struct State {
        var routing: (any HubRouting)?
        var upstream: (any HubUpstream)?
        var ledger: (any RequestLedger)?
        /// The ids differ from those of the host's earlier lives, to which peers may still refer.
        var forwards = RequestsByDeadline<Forward>(after: .random(in: 0..<1 << 39))
        /// The forwards that wait for another peer that handles them, because their target is gone.
        var orphans = WaitingIDs()
        /// The requests that wait for a peer which is expected to handle them.
        var awaiting = AwaitingRequests()
        var expectation = HandlerExpectation(opening: .now, isLaterLife: false)
        /// The peers that handle each message, and those that offer each service.
        var handlers = HandlerTable()
        var isEnding = false
    }

    private(set) lazy var timer = LoopTimer { [weak self] in self?.expire() }

    init(_ hub: any RequestCarrier) {
        self.hub = hub
        clock = hub.clock
    }

    /// Ends the requests in progress and accepts no new ones, because the host is shutting down.
    ///
    /// Requests that may be sent again are left unanswered: their senders send them to the next host. This does not
    /// apply to requests of this process.
    package func stop() {
        state.isEnding = true
        timer.cancel()
        goOn(state.awaiting.removeAll())
        // A request on record may still end while the goodbyes are exchanged.
        let ends = state.forwards.removeAll { if case .once = $0.origin { false } else { true } }
        for forward in ends where forward.kept == nil || forward.origin.isLocal {
            fail(
                forward.origin, name: forward.name,
                MessageError(.peerLost, message: forward.name, detail: "the host is ending", mayHaveBeenHandled: true))
        }
    }

    // MARK: - Messages from peers

    /// Whether a request with this id is in progress. With a second one, a reply to either request could be mistaken
    /// for a reply to the other.
    func isOnItsWay(_ id: UInt64, of link: HubLink) -> Bool {
        // Most requests of most peers come when no other is in flight.
        link.inFlight > 0
            && (link.traffic.forwards[id] != nil || link.traffic.awaiting[id] != nil
                || state.upstream?.isHandling(id, of: link.id) == true || state.ledger?.has(id, of: link) == true)
    }

    /// Handles a request of a peer.
    func request(_ frame: Frame, from link: HubLink) {
        if state.isEnding {
            if frame.delivery != .atMostOnce { return }
            return refuse(frame, of: link, MessageError(.draining, message: frame.name, detail: "the host is ending"))
        }
        guard link.inFlight < Credits.ofPeer else {
            return refuse(
                frame, of: link,
                MessageError(
                    .overloaded, message: frame.name, detail: "\(link.inFlight) of its requests are in flight"))
        }
        let now = MonotonicInstant.now
        let timeout =
            frame.delivery == .once
            ? min(Self.defaultTimeout, state.ledger?.window ?? Self.defaultTimeout) : Self.defaultTimeout
        let deadline = frame.deadline > 0 ? clock.instant(of: frame.deadline) : now + timeout
        guard deadline.nanoseconds(since: now) <= Self.maximumWait else {
            let detail = "its deadline is \((deadline - now).components.seconds) s away; a request may wait for a day"
            return refuse(frame, of: link, MessageError(.malformed, message: frame.name, detail: detail))
        }
        guard frame.delivery != .once || !frame.isOfProtocol || ProtocolMessages.isRecorded(frame.name) else {
            let detail = "the host keeps no record of this message"
            return refuse(frame, of: link, MessageError(.malformed, message: frame.name, detail: detail))
        }
        guard link.traffic.begin(frame) else { return refuse(frame, of: link, Self.tooLarge(frame)) }
        let mayWait = state.expectation.isPossible(isCopy: frame.flags.contains(.copy), at: now)
        if mayWait, awaitHandler(of: frame, from: link, deadline: deadline, now: now) { return }
        if frame.delivery == .once, let ledger = state.ledger {
            var frame = frame
            frame.attest(link.actor)
            return ledger.received(frame, from: link, deadline: deadline, now: now)
        }
        carry(
            frame, from: link.id, origin: .peer(link, id: frame.id, session: frame.session), deadline: deadline,
            now: now)
    }

    /// Carries a request to the next peer that handles it, or to the hub's upstream.
    package func carry(
        _ frame: Frame, from link: UInt64, origin: RequestOrigin, deadline: MonotonicInstant,
        now: MonotonicInstant
    ) {
        guard deadline > now else {
            return fail(
                origin, name: frame.name,
                MessageError(.timeout, message: frame.name, detail: "it came after its deadline"))
        }
        if let target = nextHandler(of: frame, from: link) {
            var copied = 0
            if frame.delivery == .idempotent, case .peer(let peer, _, _) = origin {
                guard let size = peer.traffic.keepCopy(of: frame) else {
                    return fail(origin, name: frame.name, Self.tooLarge(frame))
                }
                copied = size
            }
            forward(frame, to: target, origin: origin, deadline: deadline, copied: copied)
            return
        }
        guard let upstream = state.upstream else {
            return fail(origin, name: frame.name, MessageError(.unhandled, message: String(frame.messageName)))
        }
        let actor = frame.actor.isEmpty ? origin.actor : frame.actor
        upstream.receive(frame, from: link, actor: actor, timeLeft: deadline - now, sender: sender(of: origin))
    }

    /// Handles a post of a peer.
    func post(_ frame: Frame, from link: HubLink) {
        if let target = nextHandler(of: frame, from: link.id) {
            var frame = frame
            frame.attest(link.actor)
            frame.id = state.forwards.takeID()
            target.handed.add(frame)
            hub.send(frame, to: target)
            return
        }
        state.upstream?.receive(post: frame, actor: frame.actor.isEmpty ? link.actor : frame.actor)
    }

    /// Returns the next peer that handles a message from a link.
    func nextHandler(of frame: Frame, from link: UInt64) -> HubLink? { state.handlers.next(for: frame, from: link) }

    /// - Parameter copied: the bytes that count against the sender for the copy that is kept.
    /// - Returns: the request's id among the forwards.
    @discardableResult
    func forward(
        _ frame: Frame, to target: HubLink, origin: RequestOrigin, deadline: MonotonicInstant, copied: Int = 0
    ) -> UInt64 {
        var frame = frame
        frame.attest(origin.actor)
        frame.deadline = clock.microseconds(at: deadline)
        frame.id = state.forwards.add(
            Forward(
                origin: origin, name: frame.name, nameIndex: frame.nameIndex, session: frame.session,
                actor: frame.actor, kept: frame.delivery == .idempotent ? KeptFrame(frame) : nil),
            deadline: deadline)
        switch origin {
        case .peer(let link, let id, _): link.traffic.addForward(id, as: frame.id, copied: copied)
        case .once(let key): state.ledger?.forwarded(key, as: frame.id)
        case .local: break
        }
        handOn(frame, to: target)
        arm()
        return frame.id
    }

    /// Sends a request to a peer. The request is among the forwards under the frame's id, and has no target yet.
    /// - Parameter isWaiting: whether it goes on waiting if the peer has no credits or no room, instead of ending as
    ///   overloaded.
    /// - Returns: `false` if the peer has no credits or no room.
    @discardableResult
    func handOn(_ frame: Frame, to target: HubLink, isWaiting: Bool = false) -> Bool {
        var frame = frame
        if frame.delivery == .idempotent, let sent = state.forwards.waiter(frame.id)?.sentCount, sent > 0 {
            frame.flags.insert(.copy)
        }
        guard target.pending < target.credits else {
            if !isWaiting { refuseAsOverloaded(frame, "'\(target.name)' has \(target.pending) requests to answer") }
            return false
        }
        switch hub.send(frame, to: target) {
        case .sent:
            state.forwards.update(frame.id) {
                $0.target = target
                $0.sentCount += 1
            }
            state.orphans.remove(frame.id)
            target.traffic.handedOn.insert(frame.id)
            target.handed.add(frame)
        // The request goes to another peer when this one is detached, or to this one when it attaches again.
        case .gone where frame.delivery == .idempotent: orphan(frame.id)
        case .gone:
            failForward(frame.id, MessageError(.peerLost, message: frame.name, detail: "'\(target.name)' is gone"))
        case .noRoom:
            if !isWaiting { refuseAsOverloaded(frame, "'\(target.name)' has no room for more") }
            return false
        }
        return true
    }

    /// Takes back a request that was handed on to a peer and could not be sent, because the peer is gone.
    func notSent(_ id: UInt64, to target: HubLink) {
        guard let forward = state.forwards.waiter(id), forward.target === target else { return }
        target.traffic.handedOn.remove(id)
        state.forwards.update(id) {
            $0.target = nil
            $0.sentCount -= 1
        }
        guard forward.kept == nil else { return orphan(id) }
        failForward(id, MessageError(.peerLost, message: forward.name, detail: "'\(target.name)' is gone"))
    }

    /// The error of a request for which its sender has no room left.
    static func tooLarge(_ frame: Frame) -> MessageError {
        let detail = "its unanswered requests have too many bytes together"
        return MessageError(.overloaded, message: frame.name, detail: detail)
    }

    private func refuseAsOverloaded(_ frame: Frame, _ detail: String) {
        failForward(frame.id, MessageError(.overloaded, message: frame.name, detail: detail))
    }

    /// Ends a request that could not be sent. The last target has not received it.
    private func failForward(_ id: UInt64, _ error: MessageError) {
        guard let forward = state.forwards.remove(id) else { return }
        state.orphans.remove(id)
        fail(forward.origin, name: forward.name, forward.sentCount > 0 ? error.maybeHandled : error)
    }
}
