package import Bus
import Messaging

extension RequestRouter {
    /// Makes a request wait that no peer handles now, if a peer is expected that does.
    /// - Returns: `false` when the request should continue at once.
    func awaitHandler(
        of frame: Frame, from link: HubLink, deadline: MonotonicInstant, now: MonotonicInstant
    ) -> Bool {
        guard deadline > now, let end = expectedEnd(of: frame, from: link.id), end > now,
            // A request that gets no new record does not wait, because the ledger answers or refuses it at once.
            frame.delivery != .once || state.ledger?.isNew(frame, from: link) == true
        else { return false }
        var frame = frame
        // It waits no longer than it would otherwise, even if its sender specified no deadline.
        frame.deadline = clock.microseconds(at: deadline)
        guard let id = state.awaiting.add(frame, of: link.id, until: min(deadline, end)) else {
            let detail =
                "\(state.awaiting.count) requests wait for peers that handle them, and the share of this peer is used up"
            fail(
                .peer(link, id: frame.id, session: frame.session), name: frame.name,
                MessageError(.overloaded, message: frame.name, detail: detail))
            return true
        }
        guard let copied = link.traffic.keepCopy(of: frame) else {
            state.awaiting.remove(id)
            fail(.peer(link, id: frame.id, session: frame.session), name: frame.name, Self.tooLarge(frame))
            return true
        }
        link.traffic.addAwaiting(frame.id, as: id, copied: copied)
        arm()
        return true
    }

    /// Returns the time until which a peer that handles a request is expected.
    /// - Returns: `nil` when no such peer is expected, or when a peer handles the request now.
    private func expectedEnd(of frame: Frame, from link: UInt64) -> MonotonicInstant? {
        // The protocol's own messages are only for the host.
        guard nextHandler(of: frame, from: link) == nil, !frame.isOfProtocol else {
            return nil
        }
        return state.expectation.end(
            for: HandlerExpectation.Unclaimed(
                isKnown: state.upstream?.knows(frame) == true, isCopy: frame.flags.contains(.copy),
                isPlugins: routing?.expectsHandler(of: frame) == true))
    }

    /// Returns whether a request that is already on record is left to the host's next life instead of being handed on.
    /// This is the case when this host is shutting down and no peer has received the request.
    package func leavesToNextLife(_ frame: Frame, from link: UInt64) -> Bool {
        state.isEnding || state.expectation.isEnding && expectedEnd(of: frame, from: link) != nil
    }

    /// Continues requests that have waited, as if they had just arrived: token, record and peers are checked again.
    func goOn(_ requests: [AwaitingRequests.Request]) {
        for request in requests {
            guard let link = hub.links[request.link] else { continue }
            link.traffic.removeAwaiting(request.frame.id)
            link.traffic.releaseCredit(of: request.frame.id)
            hub.route(request.frame, from: link)
        }
    }
}
