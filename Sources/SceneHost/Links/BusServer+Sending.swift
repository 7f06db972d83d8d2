import Bus
import ZeroMQ

/// What became of a frame for a peer.
enum Sending {
    case sent
    /// So much waits for the peer already that no more is taken.
    case noRoom
    /// Its connection is closed: the peer has ended, or attaches anew.
    case gone
}

extension BusServer {
    /// Sends a frame to a peer.
    @discardableResult
    func send(_ frame: Frame, to link: HostLink) -> Sending {
        send(frame.encoded(), of: frame, to: link)
    }

    @discardableResult
    func send(_ bytes: [UInt8], of frame: Frame, to link: HostLink) -> Sending {
        guard link.hasRoom(for: bytes.count, frame.kind) else {
            counters.add("dropped: a peer does not read")
            return .noRoom
        }
        counters.framesOut += 1
        if tap.isOn { tap.record(frame, size: bytes.count, from: "host", to: link.name) }
        do {
            guard try router?.send(bytes, to: link.routingID) == true else {
                counters.add("dropped: no room for a peer")
                return .noRoom
            }
            link.sendWindow.sent(bytes.count, at: .now)
            return .sent
        } catch {
            counters.add(error.isHostUnreachable ? "dropped: peer gone" : "dropped: \(error.reason)")
            link.isGone = true
            return .gone
        }
    }

    /// Sends the replies that have waited until a peer had read others.
    func sendHeld(to link: HostLink) {
        while let reply = link.nextHeld() { send(reply, of: Frame(.reply), to: link) }
    }

    /// Answers a heartbeat, or tells a peer what has arrived here.
    /// - Parameter id: that of the heartbeat; 0 for none.
    func sendHeartbeat(id: UInt64, to link: HostLink) {
        var frame = Frame(.heartbeat)
        frame.id = id
        // A heartbeat's types always encode.
        guard let bytes = try? frame.encoded(payload: Heartbeat(received: link.receivedBytes.tell())) else { return }
        send(bytes, of: frame, to: link)
    }

    /// Publishes a change to every peer.
    func publish(_ change: DependencyChange) {
        head = change.revision
        // A beacon that is ahead makes every peer ask, each when it has read so far: a large change waits nowhere for one that
        // does not read.
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
        // Nobody has attached yet: a snapshot will tell them.
        guard let publisher else { return }
        let bytes = frame.encoded()
        if tap.isOn { tap.record(frame, size: bytes.count, from: "host", to: "*") }
        do {
            if try !publisher.send(bytes) { counters.add("dropped: publisher has no room") }
        } catch {
            counters.add("dropped: \(error.reason)")
        }
    }

    func count(_ what: String) { counters.add(what) }
}
