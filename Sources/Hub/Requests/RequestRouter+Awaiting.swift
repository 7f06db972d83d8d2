package import Bus
import Messaging

extension RequestRouter {
    /// Lets a request wait that nobody handles now, if somebody is expected who does.
    /// - Returns: `false` when it is to go on at once.
    func wait(
        _ frame: Frame, from link: HubLink, deadline: ContinuousClock.Instant, now: ContinuousClock.Instant
    ) -> Bool {
        guard deadline > now, let end = expectedEnd(of: frame, from: link.id), end > now,
            // A copy of what is on record is answered from there.
            frame.delivery != .once || hub.ledger?.isNew(frame, from: link) == true
        else { return false }
        var frame = frame
        // It waits no longer than it would have, also where it named no deadline.
        frame.deadline = hub.clock.microseconds(at: deadline)
        guard let id = awaiting.add(frame, of: link.id, until: min(deadline, end)) else {
            let detail = "\(awaiting.count) requests wait for peers that handle them, as many as may"
            fail(
                .peer(link, id: frame.id, session: frame.session), name: frame.name,
                MessageError(.overloaded, message: frame.name, detail: detail))
            return true
        }
        link.awaiting[frame.id] = id
        arm()
        return true
    }

    /// Until when somebody is expected who handles a request.
    /// - Returns: `nil` for nobody, and when somebody handles it now.
    private func expectedEnd(of frame: Frame, from link: UInt64) -> ContinuousClock.Instant? {
        // The protocol's own messages are for the host alone.
        guard nextHandler(of: frame, from: link) == nil, !ProtocolMessages.names.contains(frame.name) else {
            return nil
        }
        return expectation.end(
            for: HandlerExpectation.Unclaimed(
                isKnown: hub.upstream?.knows(frame) == true, isCopy: frame.flags.contains(.copy),
                isPlugins: hub.routing?.expectsHandler(of: frame) == true))
    }

    /// Whether a request that is on record already is not handed on, but left to the host's next life: this one ends, and nobody
    /// has got it.
    package func leavesToNextLife(_ frame: Frame, from link: UInt64) -> Bool {
        isEnding || expectation.isEnding && expectedEnd(of: frame, from: link) != nil
    }

    /// Lets requests that have waited go on as if they came now: token, record and peers are looked at again.
    func goOn(_ requests: [AwaitingRequests.Request]) {
        for request in requests {
            guard let link = hub.links[request.link] else { continue }
            link.awaiting[request.frame.id] = nil
            link.ended(request.frame.id)
            hub.route(request.frame, from: link)
        }
    }
}
