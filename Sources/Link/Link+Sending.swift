package import Bus
import CoordinatorKit
import ZeroMQ

extension Link {
    /// Sends a request and waits for its reply.
    /// - Parameters:
    ///   - frame: the request, encoded; its id and deadline are filled in here.
    ///   - message: the message's name.
    ///   - timeout: how long to wait; `nil` for the link's own.
    /// - Returns: the reply's payload.
    /// - Throws: ``MessageError``, or ``RemoteError`` of the handler.
    package func request(_ frame: [UInt8], message: String, timeout: Duration? = nil) async throws -> ArraySlice<UInt8>
    {
        let box = RequestBox()
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                box.id = self.begin(frame, message: message, timeout: timeout, continuation)
            }
        } onCancel: {
            Task { @MainActor in self.cancel(box.id) }
        }
    }

    private func begin(
        _ frame: [UInt8], message: String, timeout: Duration?,
        _ continuation: UnsafeContinuation<ArraySlice<UInt8>, any Error>
    ) -> UInt64? {
        if case .ended = machine.state {
            continuation.resume(
                throwing: MessageError(.peerLost, message: message, detail: "the link to the host is closed"))
            return nil
        }
        let isReady = isReady
        do throws(MessageError) {
            try Frame.checkSize(of: frame.count, .request, message: message)
        } catch {
            continuation.resume(throwing: error)
            return nil
        }
        guard isReady || waiting.count < configuration.maximumWaiting else {
            continuation.resume(
                throwing: MessageError(
                    .overloaded, message: message,
                    detail: "\(waiting.count) requests wait for the link to the host"))
            return nil
        }
        let now = ContinuousClock.now
        let deadline = now + (timeout ?? configuration.requestTimeout)
        let id = pending.add(
            Waiter(message: message, continuation: continuation, isSent: isReady), deadline: deadline)
        if isReady {
            transmit(frame, id: id, deadline: deadline, now: now)
        } else {
            waiting.append((id, frame, deadline))
        }
        if timer.deadline.map({ deadline < $0 }) ?? true { arm() }
        return id
    }

    func transmit(
        _ frame: [UInt8], id: UInt64, deadline: ContinuousClock.Instant, now: ContinuousClock.Instant
    ) {
        var frame = frame
        Frame.stamp(&frame, id: id, deadline: clock?.microseconds(at: deadline) ?? 0)
        sendBytes(frame, now: now)
    }

    private func cancel(_ id: UInt64?) {
        guard let id, let waiter = pending.remove(id) else { return }
        waiting.removeAll { $0.id == id }
        if waiter.isSent { sendCancel(id) }
        waiter.continuation.resume(throwing: CancellationError())
    }

    /// Nobody waits for the answer any more: its handler need not go on.
    func sendCancel(_ id: UInt64) {
        var frame = Frame(.cancel)
        frame.id = id
        send(frame)
    }

    /// Sends an encoded frame that has no reply. While the link is down it is dropped and counted.
    package func post(_ frame: [UInt8], kind: FrameKind) {
        guard isReady else {
            drops["not connected: \(kind.name)", default: 0] += 1
            return
        }
        guard frame.count <= Frame.maximumMade else {
            drops["too large: \(kind.name)", default: 0] += 1
            return
        }
        sendBytes(frame)
    }

    /// Sets or removes entries of the host's container.
    package func publish(_ changes: [String: [UInt8]?]) {
        for part in DependencyPayload.parts(of: changes, size: DependencyPayload.maximumEntry) {
            var frame = Frame(.publish)
            frame.payload = DependencyPayload.encode(part)[...]
            post(frame.encoded(), kind: .publish)
        }
    }

    /// Answers a request of the host.
    package func reply(to request: Frame, with result: Result<any Encodable, any Error>) {
        var frame = Frame(.reply)
        frame.id = request.id
        frame.name = request.name
        do {
            let bytes = try frame.encoded(payload: try result.get())
            try Frame.checkSize(of: bytes.count, .reply, message: request.name)
            sendBytes(bytes)
        } catch {
            frame.kind = .failure
            // A failure's types always encode.
            if let bytes = try? frame.encoded(payload: Failure(error)) { sendBytes(bytes) }
        }
    }

    func send(_ frame: Frame) {
        sendBytes(frame.encoded())
    }

    func sendBytes(_ bytes: [UInt8], now: ContinuousClock.Instant = .now) {
        machine.sent(at: now)
        do {
            if try dealer?.send(bytes) == true { return }
            drops["send queue full", default: 0] += 1
        } catch {
            drops["send: \(error)", default: 0] += 1
        }
    }

    /// How long the host has to wait at most for the answer to a request of its.
    package func timeLeft(of frame: Frame) -> Duration? {
        guard frame.deadline > 0, let clock else { return nil }
        return clock.instant(of: frame.deadline) - .now
    }
}

/// The id of a request, once it has one: cancelling can come before.
@MainActor
private final class RequestBox {
    var id: UInt64?
}
