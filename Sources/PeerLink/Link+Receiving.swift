import Bus
import Messaging
import ZeroMQ

extension Link {
    /// Handles a message from the bus.
    func received(_ message: SocketMessage) {
        traffic.received.messages &+= 1
        if message.isMalformed { dropMalformed() } else { read(HostMessage(message.bytes, to: self)) }
    }

    private func read(_ message: consuming HostMessage) {
        unfinished = nil
        guard !message.read(within: TurnLimits.message) else { return }
        // The rest of a link that is closed is only counted.
        guard message.isOpen, let dealer = traffic.dealer else { return message.readToEnd() }
        let rest = message
        unfinished = rest
        dealer.continueLater { self.read(rest) }
    }

    /// Counts a message of several parts, which has no frame of this bus.
    func dropMalformed() { drops[FrameError.Code.notOurs.rawValue, default: 0] += 1 }

    /// A message of the host that is being read.
    struct HostMessage: MessageReader {
        private let link: Link
        private let generation: UInt64
        private var frames: ReceivedFrames

        init(_ bytes: [UInt8], to link: Link) {
            self.link = link
            generation = link.generation
            frames = ReceivedFrames(bytes)
        }

        /// Whether the link is still open. It may have been closed by an earlier frame of the message.
        var isOpen: Bool { link.traffic.dealer != nil && generation == link.generation }

        var isAtEnd: Bool { frames.isAtEnd && !(isOpen && link.isReady && link.traffic.early.count > 0) }

        mutating func readToEnd() {
            while readNext(at: .now) {}
        }

        mutating func readNext(at now: MonotonicInstant) -> Bool {
            let isOpen = isOpen
            if isOpen, link.isReady, let earlier = link.traffic.early.popFirst() {
                // What the host has sent since then waits behind it, so the host is not silent.
                link.traffic.machine.heard(at: now)
                link.receivedMessage(earlier, at: now)
                return true
            }
            guard let bytes = frames.next() else { return false }
            guard isOpen else {
                link.drops[Link.linkLost, default: 0] += 1
                return true
            }
            // The host limits how much it has in flight to this peer, and continues once it learns what has arrived.
            if link.traffic.receivedBytes.received(bytes.count) { link.sendHeartbeat(id: 0) }
            link.taking { () throws(FrameError) in
                let frame = try Frame(bytes, &link.traffic.texts, names: NameTable.maximumCount)
                link.traffic.received.frames &+= 1
                link.traffic.machine.heard(at: now)
                try link.received(frame, at: now)
            }
            return true
        }
    }

    /// Takes a frame, or counts it as dropped if it cannot be read.
    @inline(__always)
    func taking(_ frame: () throws(FrameError) -> Void) {
        do throws(FrameError) { try frame() } catch { drops[error.code.rawValue, default: 0] += 1 }
    }

    private func received(_ frame: Frame, at now: MonotonicInstant) throws(FrameError) {
        switch frame.kind {
        case .reply, .failure: receivedEnd(of: frame)
        case .request, .post:
            if isReady {
                receivedMessage(frame, at: now)
            } else if !traffic.early.add(frame, maximum: configuration.maximumWaiting) {
                drops["too early", default: 0] += 1
                let error = MessageError(
                    .overloaded, message: frame.name,
                    detail: "\(traffic.early.count) messages wait for the link to be ready")
                if frame.kind == .request { fail(frame, of: generation, with: error) }
            }
        case .cancel:
            traffic.early.cancel(frame.id)
            delegate?.link(self, cancelled: frame.id)
        case .snapshot: try receivedSnapshot(frame, at: now)
        case .welcome:
            let welcome = try frame.decodePayload(as: Welcome.self)
            // A second one changes nothing: frames that are under way refer to the list of the first.
            guard case .greeting = traffic.machine.state else { return }
            traffic.clock = HostClock(clock: welcome.clock, asked: helloSent, received: now)
            if traffic.outgoing.isEmpty { traffic.outgoing = OutgoingFrames(accepted: welcome.batch) }
            traffic.texts.names = NameTable(welcome.names ?? [])
            security?.announced(welcome.nextKey)
            perform(traffic.machine.received(welcome, at: now))
        case .refusal: perform(traffic.machine.received(try frame.decodePayload(as: Refusal.self), at: now))
        case .goodbye:
            if isReady { delegate?.hostIsEnding(self) }
            perform(traffic.machine.receivedGoodbye(at: now))
        case .heartbeat: try receivedHeartbeat(frame, at: now)
        case .tap: delegate?.link(self, receivedTap: frame)
        case .publish:
            let answer = try frame.decodePayload(as: PublishAnswer.self)
            traffic.outbox.answered(frame.part)
            for entry in answer.refused { delegate?.link(self, refused: entry.key, entry.reason) }
            if answer.more > 0 { drops["entries refused by the host", default: 0] += answer.more }
            sendOutbox()
            sendWaiting()
        case .hello, .synchronize, .delta, .beacon:
            throw FrameError(.unknownKind, "a \(frame.kind.name) is not for a peer")
        }
    }

    func receivedMessage(_ frame: Frame, at now: MonotonicInstant) {
        guard frame.kind == .request else {
            delegate?.link(self, receivedPost: frame)
            return
        }
        if !frame.session.isEmpty { perform(traffic.machine.checkLease(at: now)) }
        delegate?.link(self, received: frame)
    }
}
