package import Bus
import CBOR
package import Messaging
import ZeroMQ

/// Requests of the hub's own process to its peers.
extension RequestRouter {
    /// Sends a request of the hub's own process to a peer.
    /// - Throws: ``MessageError``, or the handler's ``RemoteError``.
    package func send<M: ResponderRequest>(
        _ message: M, to target: HubLink, session: String = "", token: UInt64 = 0, timeout: Duration
    ) async throws -> M.Reply {
        let frame = try request(message, session: session, token: token)
        return try M.reply(from: try await send(frame, to: target, timeout: timeout).payload)
    }

    /// Returns the frame of a request of the hub's own process, for who decodes its reply.
    package func request<M: ResponderRequest>(_ message: M, session: String, token: UInt64) throws -> Frame {
        var frame = Frame(.request)
        frame.name = M.name
        frame.session = session
        frame.token = token
        frame.sender = "Host"
        frame.actor = MessageContext.current?.cause?.actor ?? ""
        frame.trace = .newTrace()
        frame.payload = try CBOREncoder().encode(message)[...]
        return frame
    }

    /// Sends a request frame to a peer. The id and the deadline are filled in here.
    /// - Returns: the reply.
    /// - Throws: ``MessageError``, or the handler's ``RemoteError``.
    package func send(_ request: Frame, to target: HubLink, timeout: Duration) async throws -> Frame {
        try Task.checkCancellation()
        guard !state.isEnding else {
            throw MessageError(.draining, message: request.name, detail: "the host is ending")
        }
        // For example, the state of a scene that is to continue may have grown too large to carry.
        try Frame.checkSize(of: Frame.headerSize + request.payload.count, .request, message: request.name)
        let reply = PendingResult<Frame>()
        let id = forward(request, to: target, origin: .local(reply), deadline: .now + timeout)
        reply.onCancel = { [self] in cancel(id) }
        let end = try await reply.value()
        guard end.kind == .failure else { return end }
        let failure: FailureEncoding
        do throws(FrameError) {
            failure = try end.decodePayload(as: FailureEncoding.self)
        } catch {
            throw Self.unreadable(error, request.name)
        }
        throw failure.error
    }

    private static func unreadable(_ error: FrameError, _ message: String) -> MessageError {
        MessageError(
            .malformed, message: message, detail: "its reply cannot be read: \(error)", mayHaveBeenHandled: true)
    }
}
