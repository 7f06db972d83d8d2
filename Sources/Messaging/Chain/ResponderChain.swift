// Hot path: it runs for each request. See "Hot paths" in Contributing.

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
    /// If the calling task is cancelled, the handler's task is cancelled, too. If the handler is in this process, the
    /// caller waits until the handler returns; otherwise the call then ends at once.
    /// - Throws: ``MessageError`` with `unhandled` if no responder handles the request, `timeout` if no reply came in
    ///   time, or another code from the bus. The handler's own error, or ``RemoteError`` if the handler ran in another
    ///   process. `CancellationError` if the calling task was cancelled, unless a handler in this process turns it into
    ///   another result.
    public func send<M: ResponderRequest>(_ message: M) async throws -> M.Reply {
        try await chain.send(message)
    }

    /// Sends a post. There is no reply, and the sender does not learn whether it was handled: a post that no responder
    /// handles, or that cannot be sent because the link to the host is down, is dropped and counted.
    public func post<M: ResponderPost>(_ message: M) {
        chain.deliver(message)
    }
}

/// The responder chain from one responder upwards.
///
/// Get it from ``Responder/chain``. To send the messages of a protocol along the chain, make the chain conform to it:
///
///     extension ResponderChain: AccountMessages {}
///     try await chain.accountLogin(username: name, password: password)
@MainActor
public struct ResponderChain: ResponderSender {
    private let start: Responder?
    private var timeout: Duration?
    private var id: MessageID?

    init(start: Responder?) {
        self.start = start
    }

    /// Returns the same chain with a time limit. Requests without a reply within this time fail with
    /// ``MessageError/Code/timeout``. Without it, a message that a handler passes on has what is left of its own limit.
    /// Otherwise a handler in this process has no time limit, and a request from a worker or a plugin to the host has a limit
    /// of 10 s. No request between processes lasts longer than 24 hours.
    public func within(_ timeout: Duration) -> ResponderChain {
        var copy = self
        copy.timeout = timeout
        return copy
    }

    /// Returns the same chain for one request with an id that the sender has chosen, so that it can send the request again later.
    /// It has no effect on messages that are neither ``Idempotent()`` nor ``Once()``.
    package func identified(by id: MessageID) -> ResponderChain {
        var copy = self
        copy.id = id
        return copy
    }

    public var chain: ResponderChain { self }

    /// Sends a request and waits for its reply: see ``ResponderSender/send(_:)``.
    public func send<M: ResponderRequest>(_ message: M) async throws -> M.Reply {
        let (destination, session) = destination(of: M.self)
        // The other process would begin to handle a request that is already cancelled before it received the cancel.
        if case .forwarder = destination { try Task.checkCancellation() }
        let context = context(of: M.self, in: session)
        switch destination {
        case .forwarder(let forwarder): return try await forwarder.send(message, context: context)
        case .handler(let responder, let handler):
            let handler = handler as! M.Handler
            return try await MessageContext.with(context) {
                do {
                    guard let timeout else { return try await handler.handle(responder, message) }
                    return try await reply(to: M.name, within: timeout) { try await handler.handle(responder, message) }
                } catch let error as MessageError {
                    throw error.thrown(byHandlerOf: M.name)
                }
            }
        case .nobody: throw unhandled(M.self, context)
        }
    }

    private func context<M: ResponderMessage>(of: M.Type, in session: SessionResponder?) -> MessageContext {
        MessageContext(sending: M.name, delivery: M.delivery, from: start, session: session, timeout: timeout, id: id)
    }

    /// The error for a message that no responder handles.
    private func unhandled<M: ResponderMessage>(_: M.Type, _ context: MessageContext) -> MessageError {
        let detail =
            start?.isInCycle == true ? "the chain leads back to itself: a coordinator is its own ancestor" : ""
        return MessageError(.unhandled, message: M.name, path: context.path, detail: detail)
    }

    /// Runs a handler of this process with a time limit. The handler's task is cancelled when its sender stops waiting.
    private func reply<Reply: Sendable>(
        to message: String, within timeout: Duration, _ handle: @escaping @MainActor () async throws -> Reply
    ) async throws -> Reply {
        let reply = PendingResult<Reply>()
        let work = Task { @MainActor in
            do {
                reply.finish(.success(try await handle()))
            } catch {
                reply.finish(.failure(error))
            }
        }
        reply.onCancel = { work.cancel() }
        let timer = Task { @MainActor in
            try await Task.sleep(for: timeout)
            reply.finish(
                .failure(
                    MessageError(
                        .timeout, message: message, detail: "no reply within \(timeout)",
                        mayHaveBeenHandled: true)))
        }
        defer {
            timer.cancel()
            work.cancel()
        }
        return try await reply.value()
    }

    /// Lets a responder of this process handle a post, or sends it to another process.
    func deliver<M: ResponderPost>(_ message: M) {
        let (destination, session) = destination(of: M.self)
        deliver(message, to: destination, in: context(of: M.self, in: session))
    }

    /// Sends a post that came over a link up the chain.
    package func post<M: ResponderPost>(_ message: M, from remote: MessageContext.Remote) {
        let (destination, session) = destination(of: M.self)
        let context = MessageContext(M.name, from: remote, timeout: nil, at: start, session: session)
        deliver(message, to: destination, in: context)
    }

    private func deliver<M: ResponderPost>(_ message: M, to destination: Destination, in context: MessageContext) {
        switch destination {
        case .forwarder(let forwarder): forwarder.forward(message, context: context)
        case .handler(let responder, let handler):
            let handler = handler as! M.Handler
            MessageContext.with(context) { handler.handle(responder, message) }
        case .nobody: UnhandledPosts.shared.count(M.name)
        }
    }

    /// Finds the responder that handles a request from another process, and makes the handler's context.
    /// - Parameters:
    ///   - remote: The message's origin.
    ///   - timeout: How long its sender waits.
    /// - Throws: ``MessageError`` if no responder handles the request.
    package func handler<M: ResponderRequest>(
        of message: M.Type, from remote: consuming MessageContext.Remote, timeout: Duration?
    ) throws(MessageError) -> (target: IncomingRequest.Target, context: MessageContext) {
        let (destination, session) = destination(of: M.self)
        let context = MessageContext(M.name, from: remote, timeout: timeout, at: start, session: session)
        switch destination {
        case .handler(let responder, let handler):
            let receive = (handler as! M.Handler).receive
            return (.init(responder: responder, handle: receive), context)
        case .forwarder(let forwarder):
            let forward: IncomingRequest.Handle = { _, request in
                let message = try request.message(as: M.self)
                request.reply(try await forwarder.send(message, context: request.context), to: M.self)
            }
            return (.init(responder: forwarder, handle: forward), context)
        case .nobody: throw unhandled(M.self, context)
        }
    }

    /// Where a message goes.
    // Not generic, because the runtime would look up the type for each message.
    private enum Destination {
        /// To a responder, with the message's `Handler` for its class.
        case handler(Responder, AnyObject)
        case forwarder(ForwardingResponder)
        case nobody
    }

    /// Finds the first responder that handles a message, and the last one that runs a session on the way.
    private func destination<M: ResponderMessage>(
        of message: M.Type
    ) -> (destination: Destination, session: SessionResponder?) {
        var session: SessionResponder?
        var next = start
        for _ in 0..<Responder.maximumHops {
            guard let current = next else { break }
            if let forwarder = current.asForwarder { return (.forwarder(forwarder), session) }
            session = current.asSession ?? session
            if let handler = current.known.handler(of: message) { return (.handler(current, handler), session) }
            next = current.coordinatingResponder
        }
        return (.nobody, session)
    }
}

extension Responder {
    /// The chain that starts at this responder. Messages that are sent with it reach this responder first.
    public var chain: ResponderChain { ResponderChain(start: self) }
}

extension Optional where Wrapped == Responder {
    /// The chain that starts at this responder. From `nil`, every message is unhandled.
    @MainActor
    public var chain: ResponderChain { ResponderChain(start: self) }
}
