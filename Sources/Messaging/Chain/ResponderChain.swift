/// Something that sends messages: the chain above a responder, a service, another process.
///
/// `@ResponderMessages` gives every sender of a message protocol its methods.
@MainActor
public protocol ResponderSender {
    /// Sends a request and waits for its reply.
    ///
    /// When it returns, the sender's container holds what the handler changed, as long as the sender is part of the tree: a
    /// coordinator that has stopped, or whose scene has ended, is not updated any more. Cancel its tasks when it stops.
    ///
    /// A request that has left the process ends at once when the calling task is cancelled, and its handler's task is cancelled too.
    /// A handler in this process is cancelled, and the caller waits until it obeys.
    /// - Throws: ``MessageError`` when no reply came, the handler's error when it failed (``RemoteError`` from another process),
    ///   `CancellationError` when the calling task was cancelled.
    func send<M: ResponderRequest>(_ message: M) async throws -> M.Reply

    /// Sends a post: there is no reply, and nobody learns whether it was handled. Unhandled posts are counted.
    func post<M: ResponderPost>(_ message: M)
}

/// The responder chain from one responder upwards.
///
/// Get it from ``Responder/chain``. A protocol of messages is sent along the chain once the chain conforms to it:
///
///     extension ResponderChain: AccountMessages {}
///     try await chain.accountLogin(username: name, password: password)
@MainActor
public struct ResponderChain: ResponderSender {
    private let start: Responder?
    private var timeout: Duration?

    init(start: Responder?) {
        self.start = start
    }

    /// The same chain, whose requests end with `timeout` when no reply has come by then.
    public func within(_ timeout: Duration) -> ResponderChain {
        var copy = self
        copy.timeout = timeout
        return copy
    }

    /// Sends a request up the chain and waits for its reply. Without ``within(_:)`` a handler in this process has all the time it
    /// wants, and a request that a worker or a plugin sends to the host has 10 s.
    /// - Throws: ``MessageError``: `unhandled` when nobody handles it, `timeout` when no reply came in time, and what else the bus
    ///   answers. The handler's own error, or ``RemoteError`` when it ran in another process. `CancellationError` when the
    ///   calling task was cancelled, unless a handler in this process makes something else of it.
    public func send<M: ResponderRequest>(_ message: M) async throws -> M.Reply {
        let target = Target(for: M.self, from: start)
        let context = MessageContext(
            sending: M.name, delivery: M.delivery, from: start, session: target.session, timeout: timeout)
        guard let responder = target.responder else {
            throw MessageError(.unhandled, message: M.name, path: context.path)
        }
        if responder.known.pointee.isForwarder {
            return try await unsafeDowncast(responder, to: ForwardingResponder.self).forward(message, context: context)
        }
        guard let handle = responder.known.pointee.handler(M.self)?.handle else {
            throw MessageError(.unhandled, message: M.name, path: context.path)
        }
        return try await MessageContext.$current.withValue(context) {
            do {
                guard let timeout else { return try await handle(responder, message) }
                return try await reply(to: M.name, within: timeout) { try await handle(responder, message) }
            } catch let error as MessageError {
                throw error.thrown(byHandlerOf: M.name)
            }
        }
    }

    /// Runs a handler of this process as long as its sender waits; then its task is cancelled.
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
        let timer = Task { @MainActor in
            try await Task.sleep(for: timeout)
            reply.finish(
                .failure(
                    MessageError(
                        .timeout, message: message, detail: "there was none within \(timeout)",
                        mayHaveBeenHandled: true)))
        }
        defer {
            timer.cancel()
            work.cancel()
        }
        return try await withTaskCancellationHandler {
            try await reply.value()
        } onCancel: {
            work.cancel()
        }
    }

    /// Sends a post up the chain. Nothing is thrown: a post that nobody handles, or that finds the link to the host down, is
    /// dropped and counted.
    public func post<M: ResponderPost>(_ message: M) {
        let target = Target(for: M.self, from: start)
        deliver(
            message, to: target.responder,
            in: MessageContext(
                sending: M.name, delivery: M.delivery, from: start, session: target.session, timeout: timeout))
    }

    /// Posts a message that came over a link.
    package func post<M: ResponderPost>(_ message: M, from remote: MessageContext.Remote) {
        let target = Target(for: M.self, from: start)
        deliver(
            message, to: target.responder,
            in: MessageContext(M.name, from: remote, timeout: nil, at: start, session: target.session))
    }

    private func deliver<M: ResponderPost>(_ message: M, to responder: Responder?, in context: MessageContext) {
        guard let responder else { return UnhandledPosts.shared.count(M.name) }
        if responder.known.pointee.isForwarder {
            unsafeDowncast(responder, to: ForwardingResponder.self).forward(message, context: context)
        } else if let handle = responder.known.pointee.handler(M.self)?.handle {
            MessageContext.$current.withValue(context) { handle(responder, message) }
        }
    }

    /// Gets a request's reply or its error, once.
    package typealias Finish = @MainActor (Result<any Encodable, any Error>) -> Void

    /// Handles a request that came over a link, in a task of its own.
    ///
    /// The task begins at once: a handler that does not suspend has ended when this returns, without a trip through the
    /// executor.
    /// - Parameters:
    ///   - message: the message, decoded.
    ///   - remote: where it came from.
    ///   - timeout: how long its sender waits.
    ///   - finish: gets the reply or the error, once.
    /// - Returns: the task, to cancel it.
    package func begin<M: ResponderRequest>(
        _ message: M, from remote: MessageContext.Remote, timeout: Duration?, finish: @escaping Finish
    ) -> Task<Void, Never>? {
        let target = Target(for: M.self, from: start)
        let context = MessageContext(M.name, from: remote, timeout: timeout, at: start, session: target.session)
        guard let responder = target.responder else {
            finish(.failure(MessageError(.unhandled, message: M.name, path: context.path)))
            return nil
        }
        let handle = responder.known.pointee.isForwarder ? nil : responder.known.pointee.handler(M.self)?.handle
        // Bound around the task's making, not inside of it: the task takes it over, and has one suspension less.
        return MessageContext.$current.withValue(context) {
            Task.immediate { @MainActor in
                do {
                    if let handle {
                        finish(.success(try await handle(responder, message)))
                    } else {
                        let forwarder = unsafeDowncast(responder, to: ForwardingResponder.self)
                        finish(.success(try await forwarder.forward(message, context: context)))
                    }
                } catch let error as MessageError where handle != nil {
                    finish(.failure(error.thrown(byHandlerOf: M.name)))
                } catch {
                    finish(.failure(error))
                }
            }
        }
    }

    /// Who will get the message. Found without a cast, an allocation or an `await`, however long the chain is.
    @MainActor
    private struct Target {
        var responder: Responder?
        var session: SessionResponder?

        init<M: ResponderMessage>(for message: M.Type, from start: Responder?) {
            let index = M.index
            var next = start
            // Taken out of the variable, not copied: counting a reference to a coordinator costs more than the rest of a hop,
            // for its count lies in a side table.
            while let responder = next.take() {
                let known = responder.known
                if known.pointee.runsSession { session = unsafeDowncast(responder, to: SessionResponder.self) }
                var answer = known.pointee.answer(at: index)
                if answer == .unknown { answer = known.pointee.learn(message) }
                if answer == .handles || known.pointee.isForwarder {
                    self.responder = responder
                    return
                }
                next = responder.coordinatingResponder
            }
        }
    }
}

extension Responder {
    /// Sends messages that climb from here: this responder is asked first.
    public var chain: ResponderChain { ResponderChain(start: self) }
}

extension Optional where Wrapped == Responder {
    /// Sends messages that climb from this responder; from `nil` every message is unhandled.
    @MainActor
    public var chain: ResponderChain { ResponderChain(start: self) }
}
