/// A responder that takes every message that reaches it and sends it on to another process.
///
/// It ends a process's chain. The rest of the climb happens where it leads: a coordinator cannot tell the difference.
@MainActor
open class ForwardingResponder: Responder {
    /// Sends a request on.
    /// - Returns: the reply of whichever responder handled it.
    /// - Throws: ``MessageError`` of the bus, ``RemoteError`` of the handler.
    open func forward<M: ResponderRequest>(_ message: M, context: MessageContext) async throws -> M.Reply {
        throw MessageError(.unhandled, message: M.name, path: context.path)
    }

    /// Sends a post on; nothing comes back.
    open func forward<M: ResponderPost>(_ message: M, context: MessageContext) {
        UnhandledPosts.shared.count(M.name)
    }
}
