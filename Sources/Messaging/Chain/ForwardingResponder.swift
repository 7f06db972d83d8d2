/// A responder that forwards every message that reaches it to another process.
///
/// It is the end of a process's chain. The message climbs on in the other process. To a coordinator this makes no
/// difference.
@MainActor
open class ForwardingResponder: Responder {
    /// Forwards a request and waits for its reply.
    /// - Returns: The reply of the responder that handled the request.
    /// - Throws: ``MessageError`` for an error of the bus, ``RemoteError`` for an error of the handler.
    open func forward<M: ResponderRequest>(_ message: M, context: MessageContext) async throws -> M.Reply {
        throw MessageError(.unhandled, message: M.name, path: context.path)
    }

    /// Forwards a post.
    open func forward<M: ResponderPost>(_ message: M, context: MessageContext) {
        UnhandledPosts.shared.count(M.name)
    }
}
