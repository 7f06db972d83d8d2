import Bus

/// The heartbeats in both directions, with what they report.
extension Link {
    /// Tells the host that this peer is alive, and how much has arrived here.
    /// - Parameter id: the id that the host's reply repeats; 0 for no reply.
    func sendHeartbeat(id: UInt64) {
        var heartbeat = Heartbeat(received: traffic.receivedBytes.tell(), mark: mark)
        mark = nil
        if drops != saidDrops {
            heartbeat.drops = PeerDrops(drops)
            saidDrops = drops
        }
        var frame = Frame(.heartbeat)
        frame.id = id
        // A heartbeat can always be encoded.
        if let bytes = try? frame.encoded(payload: heartbeat) { sendBytes(bytes) }
    }

    func receivedHeartbeat(_ frame: Frame, at now: MonotonicInstant) throws(FrameError) {
        if frame.id != 0 { perform(traffic.machine.received(heartbeat: frame.id, at: now)) }
        guard !frame.payload.isEmpty else { return }
        let heartbeat = try frame.decodePayload(as: Heartbeat.self)
        guard traffic.sendWindow.arrived(heartbeat.received, at: now) else {
            throw FrameError(.badPayload, "the host reports more bytes received than were sent")
        }
        if let mark = heartbeat.mark { self.mark = mark }
        // Only an answer says it.
        if frame.id != 0 { security?.announced(heartbeat.nextKey) }
        if let time = heartbeat.clock, let asked = traffic.machine.time(ofHeartbeat: frame.id, at: now),
            let clock = HostClock(heartbeatReply: time, asked: asked, received: now)
        {
            traffic.clock = clock
        }
        sendOutbox()
        sendWaiting()
    }
}
