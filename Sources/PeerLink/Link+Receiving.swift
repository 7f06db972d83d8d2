import Bus
import Messaging
import ZeroMQ

extension Link {
    /// Handles a message from the bus.
    func received(_ message: SocketPort.Message) {
        let isTold = receivedBytes.received(message.bytes.count)
        let generation = generation
        received.messages &+= 1
        taking(message) { frame, now throws(FrameError) in
            // The link may have been closed by an earlier frame of the message.
            guard dealer != nil, generation == self.generation else { return }
            received.frames &+= 1
            machine.heard(at: now)
            try received(frame, at: now)
        }
        // The host limits how much it has in flight to this peer, and continues once it learns what has arrived.
        if isTold, dealer != nil { sendHeartbeat(id: 0) }
    }

    /// Decodes the frames of a message and passes them on, or counts as dropped what cannot be read.
    func taking(
        _ message: SocketPort.Message, _ body: (Frame, MonotonicInstant) throws(FrameError) -> Void
    ) {
        let now = MonotonicInstant.now
        // A message of several parts has no frame of this bus.
        guard !message.isMalformed else {
            drops[FrameError.Code.notOurs.rawValue, default: 0] += 1
            return
        }
        var frames = ReceivedFrames(message.bytes)
        while let bytes = frames.next() {
            do throws(FrameError) {
                try body(try Frame(bytes), now)
            } catch {
                drops[error.code.rawValue, default: 0] += 1
            }
        }
    }

    private func received(_ frame: Frame, at now: MonotonicInstant) throws(FrameError) {
        switch frame.kind {
        case .reply, .failure: receivedEnd(of: frame)
        case .request, .post:
            if isReady {
                receivedMessage(frame, at: now)
            } else if !early.add(frame, maximum: configuration.maximumWaiting) {
                drops["too early", default: 0] += 1
                let error = MessageError(
                    .overloaded, message: frame.name, detail: "\(early.count) messages wait for the link to be ready")
                if frame.kind == .request { reply(to: frame, of: generation, with: .failure(error)) }
            }
        case .cancel:
            early.cancel(frame.id)
            delegate?.link(self, cancelled: frame.id)
        case .snapshot: try receivedSnapshot(frame, at: now)
        case .welcome:
            let welcome = try frame.decodePayload(as: Welcome.self)
            clock = HostClock(clock: welcome.clock, asked: helloSent, received: now)
            if outgoing.isEmpty { outgoing = OutgoingFrames(accepted: welcome.batch) }
            perform(machine.received(welcome, at: now))
        case .refusal: perform(machine.received(try frame.decodePayload(as: Refusal.self), at: now))
        case .goodbye:
            if isReady { delegate?.hostIsEnding(self) }
            perform(machine.receivedGoodbye(at: now))
        case .heartbeat: try receivedHeartbeat(frame, at: now)
        case .hello, .synchronize, .publish, .delta, .beacon, .tap:
            throw FrameError(.unknownKind, "a \(frame.kind.name) is not for a peer")
        }
    }

    func receivedMessage(_ frame: Frame, at now: MonotonicInstant) {
        guard frame.kind == .request else {
            delegate?.link(self, receivedPost: frame)
            return
        }
        if !frame.session.isEmpty { perform(machine.checkLease(at: now)) }
        delegate?.link(self, received: frame)
    }
}
