package import Bus
import ZeroMQ

/// Sending: requests and frames without a reply, and the frames that wait for room in the send window.
extension Link {
    /// Sends an encoded frame that has no reply. While the link is down or its session is suspended, the frame is
    /// dropped and counted.
    package func post(_ frame: [UInt8], kind: FrameKind, session: String = "") {
        if !session.isEmpty {
            perform(traffic.machine.checkLease(at: .now))
            guard !traffic.requests.isSuspended(session) else {
                drops["session suspended", default: 0] += 1
                return
            }
        }
        guard isReady else {
            drops["not connected: \(kind.name)", default: 0] += 1
            return
        }
        guard frame.count <= Frame.maximumMade else {
            drops["too large: \(kind.name)", default: 0] += 1
            return
        }
        if !sendOrHold(frame) { drops["no room: \(kind.name)", default: 0] += 1 }
    }

    /// Sends a frame, or queues it for the window behind the frames that wait already.
    /// - Returns: `false` when too much waits.
    func sendOrHold(_ frame: [UInt8]) -> Bool {
        if traffic.outbox.isEmpty, traffic.sendWindow.hasRoom(for: frame.count) {
            sendBytes(frame)
            return true
        }
        guard traffic.outbox.hasRoom(for: frame.count) else { return false }
        traffic.outbox.append(frame)
        return true
    }

    /// Sets or removes entries of the host's container. While the link is down, the changes are dropped and counted: a
    /// peer sets all entries that it provides on each new link.
    package func publish(_ changes: [String: [UInt8]?]) {
        guard isReady else {
            drops["not connected: publish", default: 0] += 1
            return
        }
        traffic.outbox.publish(changes)
        sendOutbox()
    }

    /// Sends what waits for the window, as far as there is room.
    func sendOutbox() {
        while let bytes = traffic.nextOutboxFrame() { sendBytes(bytes) }
    }

    /// Sends everything that waits for the window, whether or not there is room. Called when the link ends.
    func flushOutbox() {
        while let bytes = traffic.outbox.next(fitting: { _ in true }) { sendBytes(bytes) }
    }

    func send(_ frame: Frame) {
        sendBytes(frame.encoded())
    }

    /// Sends an encoded frame, together with the others of this turn if the host accepts that.
    /// - Parameter stamp: what to write into a request.
    func sendBytes(_ bytes: [UInt8], stamp: OutgoingFrames.Stamp? = nil) {
        guard traffic.dealer != nil else {
            drops[Self.linkLost, default: 0] += 1
            return
        }
        traffic.sendWindow.sent(bytes.count, at: .now)
        let isFirst = traffic.outgoing.isEmpty
        traffic.outgoing.append(bytes, stamp: stamp)
        if traffic.outgoing.batch == 0 { flush() } else if isFirst { Reactor.shared.addOutput(self) }
    }

    /// Sends the frames of this turn.
    package func flush() {
        while let message = traffic.outgoing.next() {
            traffic.outgoing.removeFirst()
            sendMessage(message)
        }
    }

    private func sendMessage(_ message: [UInt8]) {
        do {
            // The queue has no limit of its own: the send window bounds it. The few small frames that do not wait for
            // the window need no limit.
            if try traffic.dealer?.send(message) != true { drop(message, "send queue full") }
        } catch {
            drop(message, "send: \(error.reason)")
        }
    }

    /// Counts the frames of a message that is dropped.
    func drop(_ message: [UInt8], _ reason: String) {
        var frames = ReceivedFrames(message)
        while frames.next() != nil { drops[reason, default: 0] += 1 }
    }

    /// Returns how long the host still waits for the reply to one of its requests, at most.
    package func timeLeft(of frame: Frame) -> Duration? {
        guard frame.deadline > 0, let clock = traffic.clock else { return nil }
        return clock.instant(of: frame.deadline) - .now
    }
}
