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
            if tap.isOn { tap.record(frame, size: bytes.count, from: TapRecord.host, to: link.name) }
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

    package func count(_ what: String) { counters.add(what) }
}
