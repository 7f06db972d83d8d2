package import Bus
package import Messaging
import ZeroMQ

extension Link {
    /// Sends a request and waits for its reply.
    /// - Parameters:
    ///   - frame: the request, encoded; its id and deadline are filled in here.
    ///   - message: the message's name.
    ///   - session: the session that it speaks for; empty for none.
    ///   - delivery: what becomes of it when the link breaks.
    ///   - timeout: how long to wait; `nil` for the link's own.
    /// - Returns: the reply's payload.
    /// - Throws: ``MessageError``, or ``RemoteError`` of the handler.
    package func request(
        _ frame: [UInt8], message: String, session: String = "", delivery: MessageDelivery = .atMostOnce,
        timeout: Duration? = nil
    ) async throws -> ArraySlice<UInt8> {
        let box = RequestBox()
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                // Not even sent: the host would begin to handle it before it hears that nobody waits.
                if box.isCancelled { return continuation.resume(throwing: CancellationError()) }
                box.id = self.begin(
                    frame, message: message, session: session, delivery: delivery, timeout: timeout, continuation)
                if box.isCancelled { cancel(box.id) }
            }
        } onCancel: {
            // At once where the main actor cancels: a caller that has left the tree is not fed any more, and would get a reply
            // that comes in the same turn of the loop, without what its handler changed.
            Task.immediate { @MainActor in
                box.isCancelled = true
                self.cancel(box.id)
            }
        }
    }

    private func begin(
        _ frame: [UInt8], message: String, session: String, delivery: MessageDelivery, timeout: Duration?,
        _ continuation: UnsafeContinuation<ArraySlice<UInt8>, any Error>
    ) -> UInt64? {
        if case .ended = machine.state {
            continuation.resume(
                throwing: MessageError(.peerLost, message: message, detail: "the link to the host is closed"))
            return nil
        }
        do throws(MessageError) {
            try Frame.checkSize(of: frame.count, .request, message: message)
        } catch {
            continuation.resume(throwing: error)
            return nil
        }
        let now = ContinuousClock.now
        if !session.isEmpty { perform(machine.checkLease(at: now)) }
        let mayAct = session.isEmpty || !requests.isSuspended(session)
        let isSent = isReady && mayAct && !requests.isWaiting && maySend(frame.count)
        guard
            isSent
                || requests.hasRoom(
                    for: frame.count, count: configuration.maximumWaiting, maximumBytes: Outbox.maximumBytes)
        else {
            continuation.resume(
                throwing: MessageError(
                    .overloaded, message: message,
                    detail: "\(requests.waitingCount) requests wait for the link to the host"))
            return nil
        }
        let deadline = now + min(timeout ?? configuration.requestTimeout, Frame.maximumTimeout)
        let request = RequestQueue.Request(
            message: message, caller: continuation, session: session, deadline: deadline,
            isResent: delivery != .atMostOnce, bytes: frame)
        let id: UInt64
        if isSent {
            id = requests.addSent(request)
            transmit(frame, id: id, deadline: deadline)
        } else {
            id = requests.addWaiting(request)
            // Those before it may all have ended.
            sendWaiting()
        }
        if timer.deadline.map({ deadline < $0 }) ?? true { arm() }
        return id
    }

    /// Whether the host takes one more request now.
    private func maySend(_ count: Int) -> Bool {
        requests.inFlight < credits && outbox.isEmpty && sendWindow.hasRoom(for: count)
    }

    private func transmit(_ frame: [UInt8], id: UInt64, deadline: ContinuousClock.Instant) {
        var bytes = frame
        Frame.stamp(&bytes, id: id, deadline: clock?.microseconds(at: deadline) ?? 0)
        sendBytes(bytes)
    }

    /// Sends what waits for the link or for a credit, as far as it may.
    func sendWaiting() {
        guard isReady, requests.isWaiting else { return }
        while requests.inFlight < credits, let (id, request) = requests.next(fitting: { outbox.isEmpty && sendWindow.hasRoom(for: $0) })
        {
            var bytes = request.bytes
            // The scene may have gone on under another token since.
            if !request.session.isEmpty { Frame.stamp(&bytes, token: tokens[request.session] ?? 0) }
            transmit(bytes, id: id, deadline: request.deadline)
        }
    }

    private func cancel(_ id: UInt64?) {
        guard let id, let request = requests.remove(id) else { return }
        if request.isOnItsWay { sendCancel(id) }
        sendWaiting()
        request.caller.resume(throwing: CancellationError())
    }

    // MARK: - Sessions

    /// A session's scene may act, with this token; what it had to say meanwhile is sent.
    package func grant(_ session: String, token: UInt64) {
        tokens[session] = token
        requests.resume(session)
        sendWaiting()
    }

    /// A session's scene must not act: what it has to say waits.
    package func suspend(_ session: String) {
        tokens[session] = nil
        requests.suspend(session)
    }

    /// A session's scene is no more: what it still had to say is not said.
    package func revoke(_ session: String, reason: String) {
        tokens[session] = nil
        for request in requests.revoke(session) { fail(request, detail: reason) }
    }

    /// Nobody waits for the answer any more: its handler need not go on.
    func sendCancel(_ id: UInt64) {
        var frame = Frame(.cancel)
        frame.id = id
        send(frame)
    }

    /// Sends an encoded frame that has no reply. While the link is down, or its session suspended, it is dropped and counted.
    package func post(_ frame: [UInt8], kind: FrameKind, session: String = "") {
        if !session.isEmpty {
            perform(machine.checkLease(at: .now))
            guard !requests.isSuspended(session) else {
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

    /// Sends a frame, or lets it wait for the window behind what waits already.
    /// - Returns: `false` when too much waits.
    private func sendOrHold(_ frame: [UInt8]) -> Bool {
        if outbox.isEmpty, sendWindow.hasRoom(for: frame.count) {
            sendBytes(frame)
            return true
        }
        guard outbox.hasRoom(for: frame.count) else { return false }
        outbox.append(frame)
        return true
    }

    /// Sets or removes entries of the host's container. While the link is down they are dropped and counted: whoever provides
    /// entries sets all of them on each new link.
    package func publish(_ changes: [String: [UInt8]?]) {
        guard isReady else {
            drops["not connected: publish", default: 0] += 1
            return
        }
        outbox.publish(changes)
        sendOutbox()
    }

    /// Sends what waits for the window, as far as there is room.
    func sendOutbox() {
        while let bytes = outbox.next(fitting: sendWindow.hasRoom(for:)) { sendBytes(bytes) }
    }

    /// Sends what waits for the window at the end of the link, whether or not there is room.
    func flushOutbox() {
        while let bytes = outbox.next(fitting: { _ in true }) { sendBytes(bytes) }
    }

    /// Answers a request of the host.
    /// - Parameter generation: the ``generation`` over which it came.
    package func reply(to request: Frame, of generation: UInt64, with result: Result<any Encodable, any Error>) {
        guard generation == self.generation else {
            drops["reply to an earlier link", default: 0] += 1
            return
        }
        var frame = Frame(.reply)
        frame.id = request.id
        frame.name = request.name
        do {
            let bytes = try frame.encoded(payload: try result.get())
            try Frame.checkSize(of: bytes.count, .reply, message: request.name)
            guard sendOrHold(bytes) else {
                throw MessageError(
                    .overloaded, message: request.name, detail: "the host does not read what is on its way to it",
                    mayHaveBeenHandled: true)
            }
        } catch {
            frame.kind = .failure
            // A failure's types always encode.
            guard let bytes = try? frame.encoded(payload: Failure(error)) else { return }
            if outbox.isEmpty { sendBytes(bytes) } else { outbox.append(bytes) }
        }
    }

    /// Tells the host that this peer lives, and what has arrived here.
    /// - Parameter id: what the host answers with; 0 for no answer.
    func sendHeartbeat(id: UInt64) {
        var heartbeat = Heartbeat(received: receivedBytes.tell())
        if drops != saidDrops {
            heartbeat.drops = DropCounts(drops)
            saidDrops = drops
        }
        var frame = Frame(.heartbeat)
        frame.id = id
        // A heartbeat's types always encode.
        if let bytes = try? frame.encoded(payload: heartbeat) { sendBytes(bytes) }
    }

    func send(_ frame: Frame) {
        sendBytes(frame.encoded())
    }

    func sendBytes(_ bytes: [UInt8]) {
        do {
            if try dealer?.send(bytes) == true {
                sendWindow.sent(bytes.count, at: .now)
                return
            }
            drops["send queue full", default: 0] += 1
        } catch {
            drops["send: \(error.reason)", default: 0] += 1
        }
    }

    /// How long the host has to wait at most for the answer to a request of its.
    package func timeLeft(of frame: Frame) -> Duration? {
        guard frame.deadline > 0, let clock else { return nil }
        return clock.instant(of: frame.deadline) - .now
    }
}
