// Hot path: it runs for each request. Budget: 3,600 instructions to wait for a reply, with its cancellation.
// See "Hot paths" in Contributing.

import Bus
import CTasks
package import Messaging
import ZeroMQ

/// This peer's requests, from their creation to their place in the ``RequestQueue`` or on the bus.
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
    // Inlined, because each asynchronous function costs several hundred instructions.
    @inline(__always)
    package func request(
        _ frame: [UInt8], message: String, session: String = "", delivery: MessageDelivery = .atMostOnce,
        timeout: Duration? = nil
    ) async throws -> ArraySlice<UInt8> {
        let caller = CancellableCaller(self)
        let cancellation = CancellationContext.add(caller)
        // The caller must be alive until then.
        defer { withExtendedLifetime(caller) { CancellationContext.remove(cancellation) } }
        return try await withUnsafeThrowingContinuation { continuation in
            // Do not send a request that is already cancelled: the host would begin to handle it before it received the
            // cancel.
            if caller.isCancelled { return continuation.resume(throwing: CancellationError()) }
            caller.id = self.begin(
                frame, message: message, session: session, delivery: delivery, timeout: timeout, continuation)
            if caller.isCancelled { cancel(caller.id) }
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
        let now = MonotonicInstant.now
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

    private func transmit(_ frame: [UInt8], id: UInt64, deadline: MonotonicInstant) {
        sendBytes(frame, stamp: (id, clock?.microseconds(at: deadline) ?? 0))
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
}

/// Calls ``CancellableCaller/cancel()`` when a task is cancelled.
private enum CancellationContext {
    private static let isInstalled: Void = scenebus_set_cancellation_handler { context in
        // Whoever adds a caller keeps it alive until it is removed.
        if let context { Unmanaged<CancellableCaller>.fromOpaque(context).takeUnretainedValue().cancel() }
    }

    /// Adds a caller to the current task. See `CTasks` for the rules.
    static func add(_ caller: CancellableCaller) -> UnsafeMutableRawPointer? {
        _ = isInstalled
        return scenebus_add_cancellation_context(Unmanaged.passUnretained(caller).toOpaque())
    }

    static func remove(_ record: UnsafeMutableRawPointer?) { scenebus_remove_cancellation_context(record) }
}
