import Bus
package import Messaging

/// The link as a responder. It sends every message that climbs out of this process to the host.
@MainActor
package final class LinkResponder: ForwardingResponder {
    private let link: Link
    /// The service that messages are addressed to; `nil` for the responder chain.
    private let service: String?

    package init(_ link: Link, service: String? = nil) {
        self.link = link
        self.service = service
    }

    package override func request<M: ResponderRequest>(
        _ message: M, context: MessageContext
    ) throws -> ForwardedRequest {
        let session = context.session ?? ""
        let bytes = try encode(.request, M.self, session: session, context: context) {
            try $0.encoded(payload: message)
        }
        return ForwardedRequest(M.name, M.delivery, context: context, session: session, bytes: bytes)
    }

    package override func reply(to request: ForwardedRequest) async throws -> ArraySlice<UInt8> {
        do {
            return try await link.request(
                request.bytes, message: request.message, session: request.session, delivery: request.delivery,
                timeout: request.context.timeout)
        } catch let error as MessageError where error.code == .unhandled && error.message == request.message {
            // An error about another message comes from this message's handler, which has sent that one.
            throw error.reached(through: request.context.path)
        }
    }

    package override func forward<M: ResponderPost>(_ message: M, context: MessageContext) {
        let session = context.session ?? ""
        // Encoding fails only because of a mistake in the message's own type. Such a message is dropped.
        guard
            let bytes = try? encode(
                .post, M.self, session: session, context: context, { try $0.encoded(payload: message) })
        else { return }
        link.post(bytes, kind: .post, session: session)
    }

    /// Encodes a frame. The frame is not returned, because its copy would cost as much as its encoding.
    @inline(__always)
    private func encode<M: ResponderMessage>(
        _ kind: FrameKind, _: M.Type, session: String, context: MessageContext,
        _ encoded: (borrowing Frame) throws -> [UInt8]
    ) rethrows -> [UInt8] {
        var frame = Frame(kind, name: service.map { "\($0)/\(M.name)" } ?? M.name)
        frame.session = session
        frame.sender = context.sender
        if !session.isEmpty { frame.token = link.tokens[session] ?? 0 }
        frame.delivery = M.delivery
        frame.messageID = context.messageID
        if let remote = context.remote {
            frame.flags.insert(.passedOn)
            frame.parent = remote.requestID
        }
        frame.trace = context.trace?.child() ?? .newTrace()
        return try encoded(frame)
    }
}
