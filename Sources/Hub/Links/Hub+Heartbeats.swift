import Bus
package import ZeroMQ

/// Heartbeats, and the checks of the links: whether a peer is silent, and whether it reads.
extension Hub {
    /// After this silence a peer has missed a heartbeat and may soon be detached.
    private static let quietAfter = heartbeat * 3 / 2

    /// Checks the links. The timer calls it several times per heartbeat.
    func tick(at now: MonotonicInstant = .now) {
        let stoodStill = backlog.tick(at: now)
        quiet = []
        let hasUnread = bus?.hasUnread == true
        let readUpTo = bus?.readUpTo(at: now) ?? now
        for link in links.values {
            let isPaused = isPaused(link)
            if isPaused { link.traffic.liveness.heard(at: now) }
            if stoodStill { link.traffic.sendWindow.stoodStill(at: now) }
            if isPaused || hasUnread && link.traffic.liveness.silence(at: now) >= Self.heartbeat {
                reassure(link, at: now)
            }
            if let silent = link.traffic.liveness.look(at: readUpTo) {
                detach(link, .silent(silent))
            } else if link.traffic.sendWindow.isStuck(at: now, mayBeUnread: isPaused || hasUnread) {
                detach(link, .readsNothing)
            } else if link.end != nil || link.traffic.liveness.silence(at: readUpTo) > Self.quietAfter {
                quiet.insert(link.id)
            }
        }
        observer?.quiet(quiet)
        // libzmq's queues to some peers may have been full.
        if !state.unsent.isEmpty { flush() }
        snapshots.release()
        dropOldSnapshots(at: now)
        beginWaitingSnapshots(at: now)
        // What arrived while the hub stood still is read first.
        if !stoodStill { lookAtConnections(readUpTo: readUpTo, at: now) }
        timer.set(for: backlog.nextTick(at: .now))
    }

    /// Returns whether the hub has fallen behind with its timers, or with reading what peers have sent. A peer that is
    /// missed may then have said hello.
    package func isBehind(at now: MonotonicInstant) -> Bool {
        backlog.isBehind(at: now) || now - (bus?.readUpTo(at: now) ?? now) >= Self.heartbeat / 2
    }

    /// Returns whether a message of a peer is paused, so that what the peer sent later is not handled yet.
    func isPaused(_ link: HubLink) -> Bool { bus?.isPaused(link.routingID) == true }

    /// Tells a peer that the hub is not silent, although the peer's heartbeats get no replies until they are read.
    private func reassure(_ link: HubLink, at now: MonotonicInstant) {
        guard now - (link.reassured ?? now - Self.heartbeat) >= Self.heartbeat else { return }
        link.reassured = now
        sendHeartbeat(id: 0, to: link)
    }

    func receivedHeartbeat(_ frame: Frame, from link: HubLink, at now: MonotonicInstant) {
        if !frame.payload.isEmpty {
            do {
                let heartbeat = try frame.decodePayload(as: Heartbeat.self)
                if !link.traffic.sendWindow.arrived(heartbeat.received, at: now)
                    || !link.traffic.marks.returned(heartbeat.mark, received: heartbeat.received)
                {
                    // With such a report a peer could make the hub send more and more data that the peer does not read.
                    return detach(link, .misreports)
                }
                if frame.id == 0, link.traffic.marks.isDue(sent: link.traffic.sendWindow.sent) {
                    sendHeartbeat(id: 0, to: link)
                }
                // Callers in the peer may wait for this part although their replies have arrived already.
                sendUnsentPart(to: link)
                sendHeld(to: link)
                router.goOnWaiting(for: link)
                if let drops = heartbeat.drops { link.drops = drops.counts }
            } catch {
                state.counters.add("dropped: unreadable heartbeat")
            }
        }
        // The reply identifies the heartbeat, because a worker's lease counts from when it sent that heartbeat.
        if frame.id != 0 { sendHeartbeat(id: frame.id, to: link) }
        // What was sent a while ago does not show that the peer still lives.
        if !isBehind(at: now) { observer?.heard(link) }
    }

    /// Replies to a heartbeat, or reports to a peer how much has arrived here.
    /// - Parameter id: the id of the heartbeat; 0 for none.
    func sendHeartbeat(id: UInt64, to link: HubLink) {
        var frame = Frame(.heartbeat)
        frame.id = id
        let clock = id == 0 ? nil : clock.microseconds(at: .now)
        let mark =
            link.traffic.marks.isDue(sent: link.traffic.sendWindow.sent)
            ? UInt64.random(in: 1...UInt64(Int64.max)) : nil
        var heartbeat = Heartbeat(received: link.traffic.receivedBytes.tell(), clock: clock, mark: mark)
        if id != 0, link.hasKey, let nextKey { heartbeat.nextKey = "\(nextKey)" }
        // A heartbeat can always be encoded.
        guard let bytes = try? frame.encoded(payload: heartbeat), send(bytes, frame.kind, to: link) == .sent else {
            return
        }
        if let mark { link.traffic.marks.sent(mark, end: link.traffic.sendWindow.sent) }
    }
}
