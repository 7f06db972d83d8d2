package import Bus
import ZeroMQ

extension Hub {
    /// Sends a frame to a peer.
    @discardableResult
    package func send(_ frame: Frame, to link: HubLink) -> Sending {
        send(frame.encoded(), of: frame, to: link)
    }

    @discardableResult
    func send(_ bytes: [UInt8], of frame: Frame, to link: HubLink) -> Sending {
        let sending = trySending(bytes, of: frame, to: link)
        if sending == .noRoom { counters.add("dropped: a peer does not read") }
        return sending
    }

    private func trySending(_ bytes: [UInt8], of frame: Frame, to link: HubLink) -> Sending {
        guard link.hasRoom(for: bytes.count, frame.kind) else { return .noRoom }
        do {
            guard try bus?.send(bytes, to: link.routingID) == true else { return .noRoom }
            counters.framesOut += 1
            if tap.isOn { tap.record(frame, size: bytes.count, from: "host", to: link.name) }
            link.sendWindow.sent(bytes.count, at: .now)
            return .sent
        } catch {
            counters.add(error.isHostUnreachable ? "dropped: peer gone" : "dropped: \(error.reason)")
            link.isGone = true
            return .gone
        }
    }

    /// Sends a peer the reply to its request, or holds the reply until there is room in the send window.
    /// - Returns: `false` when too much is held already.
    func sendEnd(_ bytes: [UInt8], of end: Frame, to link: HubLink) -> Bool {
        if !link.isHolding(bytes.count), trySending(bytes, of: end, to: link) != .noRoom { return true }
        return link.hold(bytes, of: end)
    }

    /// Sends the held replies for which there is room now.
    func sendHeld(to link: HubLink) {
        while let (end, bytes) = link.nextHeld, trySending(bytes, of: end, to: link) != .noRoom { link.removeHeld() }
    }

    /// Replies to a heartbeat, or reports to a peer how much has arrived here.
    /// - Parameter id: the id of the heartbeat; 0 for none.
    func sendHeartbeat(id: UInt64, to link: HubLink) {
        var frame = Frame(.heartbeat)
        frame.id = id
        let clock = id == 0 ? nil : clock.microseconds(at: .now)
        let heartbeat = Heartbeat(received: link.receivedBytes.tell(), clock: clock)
        // A heartbeat can always be encoded.
        guard let bytes = try? frame.encoded(payload: heartbeat) else { return }
        send(bytes, of: frame, to: link)
    }

    /// Publishes a change to every peer.
    package func publish(_ change: DependencyChange) {
        head = change.revision
        // A beacon with a newer revision makes every peer request the change, each when it has read so far. A large
        // change therefore does not queue up for a peer that does not read.
        guard DependencyPayload.size(of: change.entries) <= Self.largestDelta else { return publishBeacon() }
        var frame = Frame(.delta)
        frame.epoch = epoch
        frame.previous = change.previous
        frame.revision = change.revision
        frame.payload = DependencyPayload.encode(change.entries)[...]
        publish(frame)
    }

    func publishBeacon() {
        var beacon = Frame(.beacon)
        beacon.epoch = epoch
        beacon.revision = head
        publish(beacon)
    }

    func publish(_ frame: Frame) {
        // The sockets are not open yet. A snapshot will contain the change.
        guard let publisher else { return }
        let bytes = frame.encoded()
        if tap.isOn { tap.record(frame, size: bytes.count, from: "host", to: "*") }
        do {
            if try !publisher.send(bytes) { counters.add("dropped: publisher has no room") }
        } catch {
            counters.add("dropped: \(error.reason)")
        }
    }

    package func count(_ what: String) { counters.add(what) }
}
