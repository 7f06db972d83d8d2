import Bus
import ZeroMQ

/// The links of the attached peers, and their ends.
extension Hub {
    /// Returns the link of a peer. Names are unique among the attached peers.
    package func link(named peer: String) -> HubLink? { linksByPeer[peer] }

    /// Returns whose share the peer on a link uses up of what can be left of a peer, and all links that do so; `nil` if the
    /// link is gone.
    package func sharing(with id: UInt64) -> (sharer: String, links: [UInt64])? {
        guard let link = links[id] else { return nil }
        guard link.access != nil else { return (link.lastingSharer, [id]) }
        return (link.lastingSharer, links.values.filter { $0.owner == link.owner }.map(\.id))
    }

    /// Handles that a peer has sent more than its window, and so takes the room in which others' messages wait.
    func overrun(by routingID: RoutingID) {
        state.counters.add("dropped: messages of a peer that sends more than its window")
        if let link = state.linksByRoutingID[routingID] { detach(link, .sendsTooMuch) }
    }

    func detach(_ link: HubLink, _ departure: Departure) {
        guard links[link.id] != nil else { return }
        // What was not sent has not been received, which its senders may have to know.
        if !flush(link) { drop(link, "a peer does not read") }
        state.counters.add("dropped: reply that waited for a peer", link.traffic.heldCount)
        state.unsent.removeAll { $0 === link }
        links[link.id] = nil
        places.remove(link.place, of: link.owner)
        link.traffic.isAttached = false
        link.traffic.isGone = true
        switch departure {
        case .readsNothing, .misreports, .sendsTooMuch, .gaveUpPlace: state.counters.add("detached: \(departure)")
        default: break
        }
        link.end?.cancel()
        if let connection = link.connection { gate?.unlinked(connection) }
        snapshotTurns.ended(link.id)
        state.linksByRoutingID[link.routingID] = nil
        endedLinks.add(link.routingID, unread: link.traffic.marks.unread(sent: link.traffic.sendWindow.sent))
        if linksByPeer[link.name] === link { linksByPeer[link.name] = nil }
        router.detached(link, reason: departure.description)
        tap.detached(link.name, link.id)
        observer?.detached(link, departure)
        if links.isEmpty { everybodyIsGone() }
    }

    /// How long frames that a process sent before its end may still be in transit.
    private static let lastWords = Duration.milliseconds(100)

    /// Handles the end of a process. Its link is dead before its silence shows that. The frames that it sent last are
    /// received first, such as the state of its scenes, its replies and its goodbye: they may have arrived while this
    /// process was busy or stopped.
    package func processEnded(_ pid: Int32, peer: String, wasKilled: Bool) {
        guard let link = linksByPeer[peer], link.hello.pid == pid else { return }
        // What it sent before its end may be read later.
        link.traffic.liveness.heard(at: .now)
        // It gets nothing more: no request, which would be lost with it, and no scene.
        router.processEnded(of: link)
        drop(link, "peer gone")
        quiet.insert(link.id)
        observer?.quiet(quiet)
        let departure = wasKilled ? Departure.killed : .ended
        link.end = LoopTimer { [weak self, weak link] in
            guard let self, let link else { return }
            let readUpTo = bus?.readUpTo(at: .now) ?? .now
            if isPaused(link) || link.traffic.liveness.silence(at: readUpTo) < Self.lastWords {
                link.end?.set(for: .now + Self.lastWords)
            } else {
                detach(link, departure)
            }
        }
        link.end?.set(for: .now + Self.lastWords)
    }
}
