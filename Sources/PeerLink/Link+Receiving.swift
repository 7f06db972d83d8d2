import Bus
import Messaging
import ZeroMQ

extension Link {
    /// Handles a message from the bus.
    func received(_ message: SocketPort.Message) {
        let isTold = receivedBytes.received(message.bytes.count)
        taking(message) { frame, now throws(FrameError) in
            machine.heard(at: now)
            try received(frame, at: now)
        }
        // The host limits how much it has in flight to this peer, and continues once it learns what has arrived.
        if isTold, dealer != nil { sendHeartbeat(id: 0) }
    }

    /// Decodes a message and passes its frame on, or counts it as dropped when it cannot be read.
    func taking(
        _ message: SocketPort.Message, _ body: (Frame, ContinuousClock.Instant) throws(FrameError) -> Void
    ) {
        do throws(FrameError) {
            guard !message.isMalformed else { throw FrameError(.notOurs, "a message of several parts") }
            try body(try Frame(message.bytes), .now)
        } catch {
            drops[error.code.rawValue, default: 0] += 1
        }
    }

    private func received(_ frame: Frame, at now: ContinuousClock.Instant) throws(FrameError) {
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

    func receivedMessage(_ frame: Frame, at now: ContinuousClock.Instant) {
        guard frame.kind == .request else {
            delegate?.link(self, receivedPost: frame)
            return
        }
        if !frame.session.isEmpty { perform(machine.checkLease(at: now)) }
        delegate?.link(self, received: frame)
    }
}
