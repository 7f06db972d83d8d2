// Hot path: it runs for each request. See "Hot paths" in Contributing.

import Bus
package import Messaging
import ZeroMQ

/// This peer's requests, from their creation to their place in the ``RequestQueue`` or on the bus.
extension Link {
    /// Sends a request, or lets it wait until it can be sent.
    /// - Parameters:
    ///   - frame: the request without its payload. Its id and deadline are filled in here.
    ///   - message: the payload.
    ///   - timeout: how long to wait; `nil` for the link's default.
    /// - Returns: the reply, for which the caller waits. If its task is cancelled while it waits, so is the request.
    /// - Throws: ``MessageError``, or an encoding error.
    func begin<M: ResponderRequest>(
        _ frame: borrowing Frame, _ message: M, timeout: Duration?
    ) throws -> PendingReply {
        try checkOpen(M.name)
        let now = MonotonicInstant.now
        let session = frame.session
        if !session.isEmpty { perform(traffic.machine.checkLease(at: now)) }
        let bytes = try frame.encoded(payload: message, names: traffic.texts.names.count)
        return try begin(
            bytes, message: M.name, session: session, delivery: M.delivery, timeout: timeout, at: now)
    }

    /// Sends a request that is encoded, and waits for its reply.
    /// - Parameters:
    ///   - frame: the encoded request. Its id and deadline are filled in here.
    ///   - message: the message's name.
    ///   - session: the session for which it is sent; empty for none.
    ///   - delivery: what happens to the request when the link is lost.
    ///   - timeout: how long to wait; `nil` for the link's default.
    /// - Returns: the reply's payload.
    /// - Throws: ``MessageError``, the handler's ``RemoteError``, or `CancellationError` before the request is sent.
    package func request(
        _ frame: [UInt8], message: String, session: String = "", delivery: MessageDelivery = .atMostOnce,
        timeout: Duration? = nil
    ) async throws -> ArraySlice<UInt8> {
        try Task.checkCancellation()
        let now = MonotonicInstant.now
        if !session.isEmpty { perform(traffic.machine.checkLease(at: now)) }
        return try await begin(
            frame, message: message, session: session, delivery: delivery, timeout: timeout, at: now
        ).value()
    }

    private func checkOpen(_ message: String) throws {
        guard case .ended = traffic.machine.state else { return }
        throw MessageError(.peerLost, message: message, detail: "the link to the host is closed")
    }

    private func deadline(after timeout: Duration?, from now: MonotonicInstant) -> MonotonicInstant {
        now + min(timeout ?? configuration.requestTimeout, Frame.maximumTimeout)
    }

    private func begin(
        _ frame: [UInt8], message: String, session: String, delivery: MessageDelivery, timeout: Duration?,
        at now: MonotonicInstant
    ) throws -> PendingReply {
        // The payload was written by code of the application, which may have closed the link.
        try checkOpen(message)
        let goesNow = maySend(frame.count, session)
        var frame = frame
        // It may be sent on a link to another host, where its index may stand for another name.
        if !goesNow { Frame.spellOut(message, in: &frame) }
        try Frame.checkSize(of: frame.count, .request, message: message)
        let survivesLink = delivery != .atMostOnce
        guard goesNow || traffic.requests.unsentCount < configuration.maximumWaiting else {
            throw MessageError(
                .overloaded, message: message,
                detail: "\(traffic.requests.unsentCount) requests wait for the link to the host")
        }
        guard
            goesNow && !survivesLink || traffic.requests.hasRoom(for: frame.count, maximum: Outbox.maximumBytes)
        else {
            throw MessageError(
                .overloaded, message: message,
                detail: "the requests that are kept for the link to the host have \(Outbox.maximumBytes >> 20) MiB")
        }
        let deadline = deadline(after: timeout, from: now)
        let pending = PendingReply()
        let request = RequestQueue<PendingReply>.Request(
            message: message, caller: pending, session: session, deadline: deadline,
            survivesLink: survivesLink, bytes: frame)
        let id: UInt64
        if goesNow {
            id = traffic.requests.addSent(request)
            transmit(frame, id: id, deadline: deadline)
        } else {
            id = traffic.requests.addWaiting(request)
            // The requests ahead of it may all have ended.
            sendWaiting()
        }
        timer.set(noLaterThan: deadline)
        // A cycle, from the link to the request and back, for as long as the request has not ended.
        pending.onCancel = { self.cancel(id) }
        return pending
    }

    /// Whether a request of this size may be sent now. It then overtakes only those that wait for their sessions.
    private func maySend(_ count: Int, _ session: String) -> Bool {
        isReady && (session.isEmpty || !traffic.requests.isSuspended(session)) && !traffic.requests.hasQueued
            && maySend(count)
    }

    /// Whether the host accepts one more request of this size now.
    private func maySend(_ count: Int) -> Bool {
        traffic.requests.inFlight < traffic.credits && traffic.hasRoom(for: count)
    }

    private func transmit(_ frame: [UInt8], id: UInt64, deadline: MonotonicInstant) {
        sendBytes(frame, stamp: (id, traffic.clock?.microseconds(at: deadline) ?? 0))
    }

    /// Sends the requests that wait for the link or for a credit, as far as possible.
    func sendWaiting() {
        guard traffic.requests.hasQueued, isReady else { return }
        while let (id, request) = traffic.nextRequest() {
            var bytes = request.bytes
            // The scene may have resumed under another token since.
            if !request.session.isEmpty { Frame.stamp(&bytes, token: tokens[request.session] ?? 0) }
            transmit(bytes, id: id, deadline: request.deadline)
        }
    }
}
