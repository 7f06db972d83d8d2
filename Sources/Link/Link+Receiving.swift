import Bus
import CoordinatorKit
import ZeroMQ

extension Link {
    func received(_ message: SocketPort.Message) {
        do throws(FrameError) {
            guard !message.isMalformed else { throw FrameError(.notOurs, "a message of several parts") }
            try received(Frame(message.bytes))
        } catch {
            drops[error.code.rawValue, default: 0] += 1
        }
    }

    private func received(_ frame: Frame) throws(FrameError) {
        let now = ContinuousClock.now
        machine.heard(at: now)
        switch frame.kind {
        case .reply, .failure: receivedEnd(of: frame)
        case .request, .post:
            if isReady {
                receivedMessage(frame, at: now)
            } else if early.count < configuration.maximumWaiting,
                earlySize + frame.payload.count <= Self.maximumEarlySize
            {
                early.append(frame)
                earlySize += frame.payload.count
            } else {
                drops["too early", default: 0] += 1
                let error = MessageError(
                    .overloaded, message: frame.name, detail: "\(early.count) messages wait for the link to be ready")
                if frame.kind == .request { reply(to: frame, of: generation, with: .failure(error)) }
            }
        case .cancel:
            early.removeAll { $0.kind == .request && $0.id == frame.id }
            earlySize = early.reduce(0) { $0 + $1.payload.count }
            handlers.cancelled(frame.id)
        case .delta:
            // A subscription outlives the host: the next one's changes are of no use to what was the last one's.
            guard frame.id == welcome?.epoch else { return }
            perform(
                replica.received(
                    delta: DependencyChange(
                        entries: try DependencyPayload.decode(frame.payload), revision: frame.revision,
                        previous: frame.parent), at: now))
        case .snapshot: try receivedSnapshot(frame, at: now)
        case .beacon:
            if frame.id == welcome?.epoch { perform(replica.received(beacon: frame.revision, at: now)) }
        case .welcome:
            let welcome = try frame.decodePayload(as: Welcome.self)
            clock = HostClock(clock: welcome.clock, helloSent: helloSent, received: now)
            perform(machine.received(welcome, at: now))
        case .refusal: perform(machine.received(try frame.decodePayload(as: Refusal.self), at: now))
        case .goodbye:
            if isReady { handlers.ending() }
            perform(machine.receivedGoodbye(at: now))
        case .heartbeat: perform(machine.received(heartbeat: frame.id, at: now))
        case .hello, .synchronize, .publish, .tap:
            throw FrameError(.unknownKind, "a \(frame.kind.name) is not for a peer")
        }
    }

    func receivedMessage(_ frame: Frame, at now: ContinuousClock.Instant) {
        if frame.kind == .post { return handlers.post(frame) }
        if !frame.session.isEmpty { perform(machine.checkLease(at: now)) }
        handlers.request(frame)
    }

    private func receivedSnapshot(_ frame: Frame, at now: ContinuousClock.Instant) throws(FrameError) {
        // What changed since a revision of another life is of no use: the barrier of an earlier link of that number asked for it.
        guard let welcome, frame.parent == 0 || replica.epoch == welcome.epoch else { return }
        let part = DependencyChange(
            entries: try DependencyPayload.decode(frame.payload), revision: frame.revision, previous: frame.parent)
        switch snapshotParts.received(part, number: frame.id, isLast: frame.flags.contains(.last)) {
        case .next(let number):
            machine.receivedPart(at: now)
            replica.receivedPart(at: now)
            synchronize(after: frame.parent, part: number)
        case .ignored: break
        case .lost: perform(replica.lostSnapshot(at: now))
        case .complete(let change):
            perform(
                replica.received(snapshot: change, epoch: welcome.epoch, keys: handlers.knownKeys(), at: now))
            perform(machine.synchronized(at: now))
        }
    }

    func synchronize(after known: UInt64, part: UInt64) {
        var frame = Frame(.synchronize)
        frame.id = part
        frame.revision = known
        send(frame)
    }

    private func perform(_ actions: [DependencyReplica.Action]) {
        for action in actions {
            if case .synchronize(let known) = action {
                synchronize(after: known, part: 0)
            } else {
                handlers.dependencies(action)
            }
        }
        guard !heldReplies.isEmpty else { return }
        let held = heldReplies
        heldReplies = []
        for frame in held {
            pending.update(frame.id) { $0.isHeld = false }
            receivedEnd(of: frame)
        }
    }

    /// Keeps the end of a request until the container knows as much; only of one that somebody waits for, and once.
    private func hold(_ frame: Frame) {
        guard pending.waiter(frame.id)?.isHeld == false else {
            drops["end of no request", default: 0] += 1
            return
        }
        pending.update(frame.id) { $0.isHeld = true }
        heldReplies.append(frame)
    }

    private static func error(of frame: Frame, to waiter: Waiter) -> any Error {
        let failure: Failure
        do {
            failure = try frame.decodePayload(as: Failure.self)
        } catch {
            return MessageError(
                .malformed, message: waiter.message, detail: "its failure cannot be read: \(error)",
                mayHaveBeenHandled: true)
        }
        // The host speaks of this copy only.
        guard waiter.isCopy, let error = failure.error as? MessageError else { return failure.error }
        return error.maybeHandled
    }

    private func receivedEnd(of frame: Frame) {
        // You read your own writes: the caller goes on when its container holds what the handler changed.
        if configuration.machine.synchronizes, frame.revision > replica.revision {
            return hold(frame)
        }
        // A reply that comes after its deadline has nobody left to go to.
        guard let waiter = pending.remove(frame.id) else { return }
        inFlight -= 1
        if !waiting.isEmpty { sendWaiting() }
        var result = Result<ArraySlice<UInt8>, any Error>.success(frame.payload)
        if frame.kind == .failure {
            result = .failure(Self.error(of: frame, to: waiter))
        }
        resumingOnMainLoop { waiter.continuation.resume(with: result) }
    }
}
