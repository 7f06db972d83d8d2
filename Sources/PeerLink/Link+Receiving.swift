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

    private func receivedHeartbeat(_ frame: Frame, at now: ContinuousClock.Instant) throws(FrameError) {
        if frame.id != 0 { perform(machine.received(heartbeat: frame.id, at: now)) }
        guard !frame.payload.isEmpty else { return }
        let heartbeat = try frame.decodePayload(as: Heartbeat.self)
        guard sendWindow.arrived(heartbeat.received, at: now) else {
            throw FrameError(.badPayload, "the host reports more bytes received than were sent")
        }
        if let time = heartbeat.clock, let asked = machine.time(ofHeartbeat: frame.id, at: now),
            let clock = HostClock(heartbeatReply: time, asked: asked, received: now)
        {
            self.clock = clock
        }
        sendOutbox()
        sendWaiting()
    }

    func receivedMessage(_ frame: Frame, at now: ContinuousClock.Instant) {
        guard frame.kind == .request else {
            delegate?.link(self, receivedPost: frame)
            return
        }
        if !frame.session.isEmpty { perform(machine.checkLease(at: now)) }
        delegate?.link(self, received: frame)
    }

    private func receivedSnapshot(_ frame: Frame, at now: ContinuousClock.Instant) throws(FrameError) {
        guard frame.epoch == welcome?.epoch else { return }
        switch try snapshotAssembly.received(frame) {
        case .next(let number, let revision):
            replica.receivedPart(at: now)
            synchronize(after: frame.previous, part: number, of: revision)
        case .ignored: break
        case .lost: perform(replica.lostSnapshot(at: now))
        case .complete(let change):
            perform(replica.received(snapshot: change, keys: delegate?.knownKeys(self) ?? [], at: now))
            if replica.isSynchronized { perform(machine.synchronized(at: now)) }
        }
    }

    private func synchronize(after known: UInt64, part: UInt64, of revision: UInt64) {
        guard let welcome else { return }
        var frame = Frame(.synchronize)
        frame.epoch = welcome.epoch
        frame.previous = known
        frame.part = part
        frame.revision = revision
        send(frame)
    }

    func perform(_ actions: [DependencyReplica.Action]) {
        for action in actions {
            if case .synchronize(let known) = action {
                machine.askedForSnapshot(at: .now)
                if let part = snapshotAssembly.awaited, part.previous == known {
                    synchronize(after: known, part: part.number, of: part.revision)
                } else {
                    synchronize(after: known, part: 0, of: 0)
                }
            } else {
                delegate?.link(self, changed: action)
            }
        }
        guard requests.hasHeldEnds else { return }
        for frame in requests.releaseEnds() { receivedEnd(of: frame) }
    }
}
