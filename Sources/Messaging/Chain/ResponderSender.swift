/// Something that sends messages, such as the chain above a responder, or a reference to a service.
///
/// `@ResponderMessages` gives every sender of a message protocol its methods.
@MainActor
public protocol ResponderSender {
    /// The chain that the messages climb.
    var chain: ResponderChain { get }
}

extension ResponderSender {
    /// Sends a request and waits for its reply.
    ///
    /// When it returns, the sender's container contains the handler's changes, as long as the sender is part of the
    /// tree. A coordinator that has stopped, or whose scene has ended, gets no more updates. Cancel its tasks when it
    /// stops.
    ///
    /// If the calling task is cancelled, the handler's task is cancelled, too. If the request has left the process, the
    /// call then ends at once. If the handler is in this process, the caller waits until the handler returns.
    /// - Throws: ``MessageError`` with `unhandled` if no responder handles the request, `timeout` if no reply came in
    ///   time, or another code from the bus. The handler's own error, or ``RemoteError`` if the handler ran in another
    ///   process. `CancellationError` if the calling task was cancelled, unless a handler in this process turns it into
    ///   another result.
    public func send<M: ResponderRequest>(_ message: M) async throws -> M.Reply {
        try await chain.request(message)
    }

    /// Sends a post. There is no reply, and the sender does not learn whether it was handled: a post that no responder
    /// handles, or that cannot be sent because the link to the host is down, is dropped and counted.
    public func post<M: ResponderPost>(_ message: M) {
        chain.deliver(message)
    }
}
