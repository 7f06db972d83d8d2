// Hot path: it runs for each request. See "Hot paths" in Contributing.
// Budget: 60 instructions to find the responder, besides the coordinators in between.

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

    init(start: Responder?) {
        self.start = start
    }

    /// Returns the same chain with a time limit. Requests without a reply within this time fail with
    /// ``MessageError/Code/timeout``. Without it, a handler in this process has no time limit, and a request from a
    /// worker or a plugin to the host has a limit of 10 s.
    public func within(_ timeout: Duration) -> ResponderChain {
        var copy = self
        copy.timeout = timeout
        return copy
    }

    public var chain: ResponderChain { self }

    /// Lets a responder of this process handle a request, or sends it to another process.
    func request<M: ResponderRequest>(_ message: M) async throws -> M.Reply {
        let target = Target(for: M.self, from: start)
        let context = context(of: M.self, in: target.session)
        if let responder = target.responder, responder.known.pointee.isForwarder {
            // The cast holds: see ``ResponderClass/isForwarder``.
            return try await unsafeDowncast(responder, to: ForwardingResponder.self).forward(message, context: context)
        }
        guard let responder = target.responder,
            let handle = responder.known.pointee.handler(M.self, at: target.index)?.handle
        else {
            throw MessageError(.unhandled, message: M.name, path: context.path, detail: Self.unhandledDetail(start))
        }
        return try await MessageContext.with(context) {
            do {
                guard let timeout else { return try await handle(responder, message) }
                return try await reply(to: M.name, within: timeout) { try await handle(responder, message) }
            } catch let error as MessageError {
                throw error.thrown(byHandlerOf: M.name)
            }
        }
    }

    @inline(__always)
    private func context<M: ResponderMessage>(of: M.Type, in session: SessionResponder?) -> MessageContext {
        MessageContext(sending: M.name, delivery: M.delivery, from: start, session: session, timeout: timeout)
    }

    /// Why a message that no responder handles climbed in vain, if that is not its sender's concern alone.
    private static func unhandledDetail(_ start: Responder?) -> String {
        start?.isInCycle == true ? "the chain leads back to itself: a coordinator is its own ancestor" : ""
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
        reply.work = work
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
        let target = Target(for: M.self, from: start)
        deliver(message, to: target, in: context(of: M.self, in: target.session))
    }

    /// Sends a post that came over a link up the chain.
    package func post<M: ResponderPost>(_ message: M, from remote: MessageContext.Remote) {
        let target = Target(for: M.self, from: start)
        deliver(
            message, to: target,
            in: MessageContext(M.name, from: remote, timeout: nil, at: start, session: target.session))
    }

    private func deliver<M: ResponderPost>(_ message: M, to target: Target, in context: MessageContext) {
        guard let responder = target.responder else { return UnhandledPosts.shared.count(M.name) }
        if responder.known.pointee.isForwarder {
            // The cast holds: see ``ResponderClass/isForwarder``.
            unsafeDowncast(responder, to: ForwardingResponder.self).forward(message, context: context)
        } else if let handle = responder.known.pointee.handler(M.self, at: target.index)?.handle {
            MessageContext.with(context) { handle(responder, message) }
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
        let target = Target(for: M.self, from: start)
        let context = MessageContext(M.name, from: remote, timeout: timeout, at: start, session: target.session)
        let receive = target.responder?.known.pointee.handler(M.self, at: target.index)?.receive
        guard let responder = target.responder, receive != nil || responder.known.pointee.isForwarder else {
            throw MessageError(.unhandled, message: M.name, path: context.path, detail: Self.unhandledDetail(start))
        }
        if let receive { return (.init(responder: responder, handle: receive, isForwarder: false), context) }
        let forward: IncomingRequest.Handle = { responder, request in
            // The cast holds: see ``ResponderClass/isForwarder``.
            let forwarder = unsafeDowncast(responder, to: ForwardingResponder.self)
            let message = try request.message(as: M.self)
            request.reply(try await forwarder.forward(message, context: request.context), to: M.self)
        }
        return (.init(responder: responder, handle: forward, isForwarder: true), context)
    }

    /// The responder that will handle the message. The lookup needs no cast, no allocation and no `await`.
    @MainActor
    private struct Target {
        private(set) var responder: Responder?
        private(set) var session: SessionResponder?
        /// The message's index. It is read once, because a message that is written without the macro may change it.
        let index: Int
        private var hops = 0

        init<M: ResponderMessage>(for message: M.Type, from start: Responder?) {
            index = M.index
            var next = start
            while let current = next {
                next = nil
                if let node = current.node, current.known.pointee.storesNext {
                    assert(ChainNode.isConsistent(above: current), "a coordinator's next responder is not its parent")
                    guard let end = climb(from: node, for: message) else { return }
                    next = step(to: end, for: message)
                } else {
                    next = step(to: current, for: message)
                }
            }
        }

        /// Climbs along responders that store their next one.
        /// - Returns: The first one that handles the message or that does not store its next one; `nil` if there is none.
        private mutating func climb<M: ResponderMessage>(
            from start: ChainNode, for message: M.Type
        ) -> Responder? {
            let hopsBefore = hops
            while true {
                guard let end = climb(from: start.place) else { return nil }
                let known = end.pointee.known
                guard known.pointee.storesNext, known.pointee.answer(at: index) == .unknown else {
                    return end.pointee.responder
                }
                // This may call the application's code, which may release responders and with them their places. So the
                // climb starts again at the one place that is certainly left.
                _ = ResponderClass.learn(message, at: index, for: known)
                hops = hopsBefore
            }
        }

        /// Climbs to the first responder whose class does not pass the message on, or is not known to do so.
        // It is not generic, because the compiler makes no special code for each message.
        private mutating func climb(from start: ChainPlace.Address) -> ChainPlace.Address? {
            var place = start
            while place.pointee.known.pointee.passesToStoredNext(index) {
                hops &+= 1
                guard hops < Responder.maximumHops, let next = place.pointee.next else { return nil }
                place = next
            }
            return place
        }

        /// Lets a responder handle the message, unless it passes it.
        /// - Returns: The next responder.
        private mutating func step<M: ResponderMessage>(to current: Responder, for message: M.Type) -> Responder? {
            let known = current.known
            // The cast holds: see ``ResponderClass/runsSession``.
            if known.pointee.runsSession { session = unsafeDowncast(current, to: SessionResponder.self) }
            var answer = known.pointee.answer(at: index)
            if answer == .unknown, !known.pointee.isForwarder {
                answer = ResponderClass.learn(message, at: index, for: known)
            }
            if answer == .handles || known.pointee.isForwarder {
                responder = current
                return nil
            }
            hops += 1
            return hops < Responder.maximumHops ? current.coordinatingResponder : nil
        }
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
