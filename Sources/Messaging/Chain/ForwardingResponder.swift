import CBOR

/// A responder that forwards every message that reaches it to another process.
///
/// It is the end of a process's chain. The message climbs on in the other process. To a coordinator this makes no
/// difference.
@MainActor
open class ForwardingResponder: Responder {
    override final var asForwarder: ForwardingResponder? { self }

    /// Sends a request and waits for its reply. It is sent, or put in line to be sent, before this suspends.
    /// - Throws: ``MessageError`` for an error of the bus, ``RemoteError`` for an error of the handler, an encoding error,
    ///   or `CancellationError`.
    open func send<M: ResponderRequest>(_ message: M, context: MessageContext) async throws -> M.Reply {
        throw MessageError(.unhandled, message: M.name, path: context.path)
    }

    /// Forwards a post.
    open func forward<M: ResponderPost>(_ message: M, context: MessageContext) {
        UnhandledPosts.shared.count(M.name)
    }
}

extension ForwardingResponder {
    /// The error of a request that has reached another process. If no responder there handles the request, it names those of
    /// this process, too.
    package static func reached(_ error: any Error, _ context: MessageContext) -> any Error {
        // An error about another message comes from this message's handler, which has sent that one.
        guard let error = error as? MessageError, error.code == .unhandled, error.message == context.message else {
            return error
        }
        return error.reached(through: context.path)
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
