import Bus
import Messaging

extension RequestRouter {
    func attached(_ link: HubLink) {
        state.handlers.add(link)
        if !state.orphans.isEmpty { handOnOrphans(to: link) }
    }

    /// Hands waiting requests on to a peer that handles them, as far as the peer has room.
    func goOnWaiting(for link: HubLink) {
        // Requests that have waited longest go ahead of newer ones.
        if !state.orphans.isEmpty, link.pending < link.credits { handOnOrphans(to: link) }
        // Continue only when there is room for several: finding the requests that the peer handles takes
        // longer the more peers have sent them.
        let window = link.traffic.sendWindow
        guard state.awaiting.count > 0, link.traffic.heldCount == 0, link.pending <= link.credits / 2,
            window.outstanding == 0 || window.room >= window.size / 4
        else { return }
        // A copy, because the state is being changed meanwhile.
        var handlers = state.handlers
        let requests = state.awaiting.removeAll(
            for: link.handled, after: &link.lastWaitingSender, count: link.credits - link.pending,
            bytes: window.room, takesAny: window.outstanding == 0,
            where: { handlers.next(for: $0.frame, from: $0.link) === link })
        goOn(requests)
    }

    /// Hands requests that may be handled twice, and whose peer is gone, on to a peer, until it has no more credits or no
    /// room. Their senders take turns.
    private func handOnOrphans(to link: HubLink) {
        let orphans = state.orphans
        var turns = orphans.turns(for: link.handled, after: link.lastWaitingSender) { id in
            state.forwards.waiter(id).map { nextHandler(of: $0) === link } ?? false
        }
        while let (id, sender) = turns.next(), !link.isGone {
            guard var frame = state.forwards.waiter(id)?.kept?.frame else { continue }
            guard link.traffic.hasRoom(for: frame.sizeBound, .request) else {
                // Requests of one sender keep their order.
                turns.leaveOutLast()
                continue
            }
            frame.id = id
            guard handOn(frame, to: link, isWaiting: true) else { return }
            link.lastWaitingSender = sender
        }
    }

    /// Hands requests that may be handled twice, and whose peer is gone, on to other peers that handle them. If there is
    /// no such peer, or if it has no room, the requests continue to wait.
    /// - Parameter ids: their ids among the forwards, in order.
    private func handOn(_ ids: [UInt64]) {
        for id in ids {
            guard let forward = state.forwards.waiter(id), var frame = forward.kept?.frame,
                let target = nextHandler(of: forward), !target.isGone,
                target.traffic.hasRoom(for: frame.sizeBound, .request)
            else { continue }
            frame.id = id
            handOn(frame, to: target, isWaiting: true)
        }
    }

    /// Gives a peer whose process has ended no further requests. Its last replies may still be read.
    func processEnded(of link: HubLink) { state.handlers.remove(link) }

    private func nextHandler(of forward: Forward) -> HubLink? {
        forward.kept.flatMap { nextHandler(of: $0.frame, from: forward.sender) }
    }

    /// Lets a request wait for another peer that handles it.
    func orphan(_ id: UInt64) {
        guard let forward = state.forwards.waiter(id), let kept = forward.kept else { return }
        state.orphans.insert(
            id, forward.name, from: forward.sender, isPassedOn: kept.frame.flags.contains(.passedOn))
    }

    /// Handles the loss of a peer. The requests that it had received may have been handled. The requests that it had
    /// sent are cancelled.
    func detached(_ link: HubLink, reason: String) {
        state.handlers.remove(link)
        let handedOn = link.traffic.handedOn.sorted()
        link.traffic.handedOn = []
        for id in handedOn {
            if let forward = state.forwards.waiter(id), forward.kept != nil {
                state.forwards.update(id) { $0.target = nil }
                orphan(id)
            } else if let forward = state.forwards.remove(id) {
                fail(
                    forward.origin, name: forward.name,
                    MessageError(
                        .peerLost, message: forward.name, detail: "'\(link.name)' is gone: \(reason)",
                        mayHaveBeenHandled: true))
            }
        }
        for id in link.traffic.removeForwards() {
            if let orphan = state.forwards.remove(id) { cancel(orphan, id: id) }
        }
        // Nothing of these is on record. Their sender sends them again, or reports them as lost.
        for id in link.traffic.removeAllAwaiting() { state.awaiting.remove(id) }
        state.upstream?.cancelAll(of: link.id, sharing: link.lastingSharer)
        state.ledger?.detached(link)
        // This includes requests that could not be sent to the peer any more.
        handOn(state.orphans.ids(for: link.handled))
    }
}

extension RequestRouter.Forward {
    /// The link of the peer that waits for the reply; 0 for none.
    fileprivate var sender: UInt64 {
        if case .peer(let link, _, _) = origin { return link.id }
        return 0
    }
}
