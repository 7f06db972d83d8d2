package import Bus
import Messaging
import ZeroMQ

extension Hub {
    /// Sends a frame to a peer.
    @discardableResult
    package func send(_ frame: Frame, to link: HubLink) -> Sending {
        guard frame.actor.isEmpty || link.readsActors else {
            var plain = frame
            plain.actor = ""
            return send(plain.encoded(names: link.names), frame.kind, to: link)
        }
        return send(frame.encoded(names: link.names), frame.kind, to: link)
    }

    /// Returns a frame that was encoded for a peer.
    func decoded(_ bytes: ArraySlice<UInt8>, for link: HubLink) -> Frame? {
        try? Frame(bytes, &state.texts, names: link.names)
    }

    @discardableResult
    func send(_ bytes: [UInt8], _ kind: FrameKind, to link: HubLink) -> Sending {
        let sending = trySending(bytes, kind, to: link)
        if sending == .noRoom { state.counters.add("dropped: a peer does not read") }
        return sending
    }

    private func trySending(_ bytes: [UInt8], _ kind: FrameKind, to link: HubLink) -> Sending {
        // A peer that comes back has another link.
        guard !link.isGone else { return gone("peer gone") }
        guard let bus, link.traffic.hasRoom(for: bytes.count, kind), !link.traffic.isFull else { return .noRoom }
        if link.traffic.outgoing.batch > 0 {
            if link.traffic.outgoing.isEmpty { state.unsent.append(link) }
            link.traffic.outgoing.append(bytes)
            if !state.isFlushDue {
                state.isFlushDue = true
                Reactor.shared.addOutput(self)
            }
        } else {
            do throws(ZeroMQError) {
                guard try bus.send(bytes, to: link.routingID) else { return .noRoom }
            } catch {
                link.traffic.isGone = true
                return gone(error.dropReason)
            }
        }
        state.counters.framesOut += 1
        if tap.isOn, kind != .tap, let frame = decoded(bytes[...], for: link) {
            tap.record(frame, size: bytes.count, from: TapRecord.host, to: link.name)
        }
        link.traffic.sendWindow.sent(bytes.count, at: .now)
        return .sent
    }

    private func gone(_ reason: String) -> Sending {
        state.counters.add("dropped: \(reason)")
        return .gone
    }

    // MARK: - The end of a turn

    /// Sends the frames that have been collected since the last call. It is called at the end of each turn, and in between.
    package func flush() {
        state.isFlushDue = false
        let links = state.unsent
        state.unsent.removeAll(keepingCapacity: true)
        for link in links where !flush(link) { state.unsent.append(link) }
    }

    /// Sends the frames that have been collected for a peer.
    /// - Returns: `false` when libzmq's queue is full. The frames then wait, and no further ones are accepted.
    @discardableResult
    func flush(_ link: HubLink) -> Bool {
        while let message = link.traffic.outgoing.next() {
            do throws(ZeroMQError) {
                guard try bus?.send(message, to: link.routingID) == true else {
                    link.traffic.isFull = true
                    return false
                }
                link.traffic.outgoing.removeFirst()
            } catch {
                drop(link, error.dropReason)
            }
        }
        link.traffic.isFull = false
        return true
    }

    /// Drops the frames that were not sent to a peer that gets nothing more.
    func drop(_ link: HubLink, _ reason: String) {
        link.traffic.isGone = true
        for message in link.traffic.outgoing.removeAll() { notSent(message, to: link, reason) }
    }

    /// Takes back the frames of a message to a peer that is gone. The peer has not received its requests.
    private func notSent(_ message: [UInt8], to link: HubLink, _ reason: String) {
        var frames = ReceivedFrames(message)
        while let bytes = frames.next() {
            state.counters.add("dropped: \(reason)")
            if let frame = decoded(bytes, for: link), frame.kind == .request { router.notSent(frame.id, to: link) }
        }
    }

    // MARK: - Replies

    /// Sends a peer the reply to its request, or holds the reply until there is room in the send window.
    /// - Returns: `false` when too much is held already. A reply to a peer that gets nothing more is dropped.
    func sendEnd(_ bytes: [UInt8], _ kind: FrameKind, to link: HubLink) -> Bool {
        if !link.traffic.isHolding(bytes.count), trySending(bytes, kind, to: link) != .noRoom { return true }
        return link.traffic.hold(bytes, kind)
    }

    /// Sends the held replies for which there is room now.
    func sendHeld(to link: HubLink) {
        while let (kind, bytes) = link.traffic.nextHeld, trySending(bytes, kind, to: link) != .noRoom {
            link.traffic.removeHeld()
        }
    }

    package func count(_ what: String) { state.counters.add(what) }

    /// Sets a counter that is maintained elsewhere.
    package func setCount(_ what: String, to count: UInt64) { state.counters.set(what, to: count) }
}

extension ZeroMQError {
    /// Why a frame was dropped, for a counter.
    fileprivate var dropReason: String { isHostUnreachable ? "peer gone" : reason }
}
