import CBOR

/// A responder that forwards every message that reaches it to another process.
///
/// It is the end of a process's chain. The message climbs on in the other process. To a coordinator this makes no
/// difference.
@MainActor
open class ForwardingResponder: Responder {
    /// Encodes a request.
    /// - Throws: ``MessageError`` if it cannot be forwarded, or an encoding error.
    open func request<M: ResponderRequest>(_ message: M, context: MessageContext) throws -> ForwardedRequest {
        throw MessageError(.unhandled, message: M.name, path: context.path)
    }

    /// Forwards a request and waits for its reply.
    /// - Returns: The payload of the reply of the responder that handled the request.
    /// - Throws: ``MessageError`` for an error of the bus, ``RemoteError`` for an error of the handler.
    open func reply(to request: ForwardedRequest) async throws -> ArraySlice<UInt8> { [] }

    /// Forwards a post.
    open func forward<M: ResponderPost>(_ message: M, context: MessageContext) {
        UnhandledPosts.shared.count(M.name)
    }
}

/// A request that a ``ForwardingResponder`` has encoded.
public struct ForwardedRequest: Sendable {
    /// The message's name.
    public let message: String
    public let delivery: MessageDelivery
    public let context: MessageContext
    /// The session in whose name it is sent; empty for none.
    public let session: String
    /// The encoded request.
    public let bytes: [UInt8]

    public init(
        _ message: String, _ delivery: MessageDelivery, context: MessageContext, session: String, bytes: [UInt8]
    ) {
        self.message = message
        self.delivery = delivery
        self.context = context
        self.session = session
        self.bytes = bytes
    }
}

extension ResponderRequest {
    /// Decodes the payload of a reply.
    /// - Throws: ``MessageError`` with `malformed`.
    package static func reply(from payload: ArraySlice<UInt8>) throws -> Reply {
        do {
            return try CBORDecoder().decode(from: payload) { reader throws(CBORItemReader.OtherForm) in
                try readReply(from: &reader)
            }
        } catch {
            let detail = "its reply cannot be read: \(String(explaining: error))"
            throw MessageError(.malformed, message: name, detail: detail, mayHaveBeenHandled: true)
        }
    }
}
