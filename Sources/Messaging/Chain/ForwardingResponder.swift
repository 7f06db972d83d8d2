import CBOR

/// A responder that forwards every message that reaches it to another process.
///
/// It is the end of a process's chain. The message climbs on in the other process. To a coordinator this makes no
/// difference.
@MainActor
open class ForwardingResponder: Responder {
    /// Sends a request.
    /// - Returns: Its reply, for which the caller waits.
    /// - Throws: ``MessageError`` if it cannot be forwarded, or an encoding error.
    open func send<M: ResponderRequest>(_ message: M, context: MessageContext) throws -> PendingReply {
        throw MessageError(.unhandled, message: M.name, path: context.path)
    }

    /// Forwards a post.
    open func forward<M: ResponderPost>(_ message: M, context: MessageContext) {
        UnhandledPosts.shared.count(M.name)
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
