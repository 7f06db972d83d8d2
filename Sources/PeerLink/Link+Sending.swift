package import Bus
package import Messaging
import ZeroMQ

extension Link {
    /// Sends a request and waits for its reply.
    /// - Parameters:
    ///   - frame: the encoded request. Its id and deadline are filled in here.
    ///   - message: the message's name.
    ///   - session: the session for which it is sent; empty for none.
    ///   - delivery: what happens to the request when the link is lost.
    ///   - timeout: how long to wait; `nil` for the link's default.
    /// - Returns: the reply's payload.
    /// - Throws: ``MessageError``, or the handler's ``RemoteError``.
    package func request(
        _ frame: [UInt8], message: String, session: String = "", delivery: MessageDelivery = .atMostOnce,
        timeout: Duration? = nil
    ) async throws -> ArraySlice<UInt8> {
        let box = RequestBox()
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                // Do not send a request that is already cancelled: the host would begin to handle it before it received
                // the cancel.
                if box.isCancelled { return continuation.resume(throwing: CancellationError()) }
                box.id = self.begin(
                    frame, message: message, session: session, delivery: delivery, timeout: timeout, continuation)
                if box.isCancelled { cancel(box.id) }
            }
        } onCancel: {
            // Runs at once when the main actor cancels. Otherwise the caller could still get a reply that arrives in
            // the same turn of the loop. A caller that has left the tree no longer receives changes of the container,
            // so it would get the reply without the changes that the request's handler has made.
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
            // The requests ahead of it may all have ended.
            sendWaiting()
        }
        if timer.deadline.map({ deadline < $0 }) ?? true { arm() }
        return id
    }

    /// Whether the host accepts one more request now.
    private func maySend(_ count: Int) -> Bool {
        requests.inFlight < credits && outbox.isEmpty && sendWindow.hasRoom(for: count)
    }

    private func transmit(_ frame: [UInt8], id: UInt64, deadline: ContinuousClock.Instant) {
        var bytes = frame
        Frame.stamp(&bytes, id: id, deadline: clock?.microseconds(at: deadline) ?? 0)
        sendBytes(bytes)
    }

    /// Sends the requests that wait for the link or for a credit, as far as possible.
    func sendWaiting() {
        guard requests.isWaiting, isReady else { return }
        while requests.inFlight < credits,
            let (id, request) = requests.next(fitting: { outbox.isEmpty && sendWindow.hasRoom(for: $0) })
        {
            var bytes = request.bytes
            // The scene may have resumed under another token since.
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

    /// Lets a session's scene act with this token, and sends the requests that have waited for that.
    package func grant(_ session: String, token: UInt64) {
        tokens[session] = token
        requests.resume(session)
        sendWaiting()
    }

    /// Stops a session's scene from acting. Its requests wait.
    package func suspend(_ session: String) {
        tokens[session] = nil
        requests.suspend(session)
    }

    /// Removes a session whose scene is gone, and fails the requests that have waited for it.
    package func revoke(_ session: String, reason: String) {
        tokens[session] = nil
        for request in requests.revoke(session) { fail(request, detail: reason) }
    }

    /// Tells the host that the caller of a request no longer waits, so that the handler can stop.
    func sendCancel(_ id: UInt64) {
        var frame = Frame(.cancel)
        frame.id = id
        send(frame)
    }

    /// Sends an encoded frame that has no reply. While the link is down or its session is suspended, the frame is
    /// dropped and counted.
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

    /// Sends a frame, or queues it for the window behind the frames that wait already.
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

    /// Sets or removes entries of the host's container. While the link is down, the changes are dropped and counted: a
    /// peer sets all entries that it provides on each new link.
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

    /// Sends everything that waits for the window, whether or not there is room. Called when the link ends.
    func flushOutbox() {
        while let bytes = outbox.next(fitting: { _ in true }) { sendBytes(bytes) }
    }

    /// Replies to a request of the host.
    /// - Parameter generation: the ``generation`` of the link over which the request arrived.
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
                    .overloaded, message: request.name, detail: "the host does not read what is sent to it",
                    mayHaveBeenHandled: true)
            }
        } catch {
            frame.kind = .failure
            // A failure can always be encoded.
            guard let bytes = try? frame.encoded(payload: Failure(error)) else { return }
            if outbox.isEmpty { sendBytes(bytes) } else { outbox.append(bytes) }
        }
    }

    /// Tells the host that this peer is alive, and how much has arrived here.
    /// - Parameter id: the id that the host's reply repeats; 0 for no reply.
    func sendHeartbeat(id: UInt64) {
        var heartbeat = Heartbeat(received: receivedBytes.tell())
        if drops != saidDrops {
            heartbeat.drops = DropCounts(drops)
            saidDrops = drops
        }
        var frame = Frame(.heartbeat)
        frame.id = id
        // A heartbeat can always be encoded.
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

    /// Returns how long the host still waits for the reply to one of its requests, at most.
    package func timeLeft(of frame: Frame) -> Duration? {
        guard frame.deadline > 0, let clock else { return nil }
        return clock.instant(of: frame.deadline) - .now
    }
}
