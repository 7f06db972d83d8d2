package import Bus
package import Messaging
import ZeroMQ

/// Takes the requests and posts of another process, and hands them to a chain of this one.
@MainActor
package final class MessageReceiver {
    /// What this process can decode.
    package var registry = MessageRegistry()
    /// By link, and by the request's id, which is unique on its link only.
    private var running: [UInt64: [UInt64: Running]] = [:]
    private lazy var timer = LoopTimer { [weak self] in self?.cancelExpired() }

    private struct Running {
        let task: Task<Void, Never>?
        /// It goes on when the link is lost: its end will be asked for.
        let outlivesLink: Bool
        /// When nobody waits for its end any more; `nil` for never.
        let deadline: ContinuousClock.Instant?
        /// It has been cancelled because of its deadline.
        var isExpired = false
    }

    package init() {}

    package private(set) var runningCount = 0

    package func isHandling(_ id: UInt64, of link: UInt64) -> Bool {
        !running.isEmpty && running[link]?[id] != nil
    }

    /// Handles a request.
    /// - Parameters:
    ///   - frame: the request.
    ///   - link: tells the requests of several links apart.
    ///   - start: the first responder to ask.
    ///   - timeLeft: how long its sender still waits; a request past its deadline is not begun.
    ///   - reply: gets the reply, not encoded yet, or the error, once.
    package func receive(
        _ frame: Frame, link: UInt64 = 0, at start: Responder?, timeLeft: Duration?,
        reply: @escaping ResponderChain.Finish
    ) {
        let name = frame.isAddressed ? String(frame.messageName) : frame.name
        if let timeLeft, timeLeft <= .zero {
            return reply(.failure(MessageError(.timeout, message: name, detail: "it came after its deadline")))
        }
        guard let receive = registry.request(name) else {
            return reply(.failure(MessageError(.unhandled, message: name, path: start?.climbedPath ?? [])))
        }
        var isFinished = false
        do {
            let task = try receive(frame.payload, start.chain, MessageContext.Remote(frame), timeLeft) { result in
                isFinished = true
                guard self.ended(frame.id, of: link)?.isExpired == true, case .failure = result else {
                    return reply(result)
                }
                // Whatever the cancelled handler says, it was ended by the deadline: there is one outcome of that, whoever tells it first.
                reply(.failure(MessageError(.timeout, message: name, mayHaveBeenHandled: true)))
            }
            // Most have ended by now.
            guard !isFinished else { return }
            let deadline = timeLeft.map { ContinuousClock.now + $0 }
            let request = Running(task: task, outlivesLink: frame.delivery == .once, deadline: deadline)
            if running[link, default: [:]].updateValue(request, forKey: frame.id) == nil { runningCount += 1 }
            if let deadline, timer.deadline.map({ deadline < $0 }) ?? true { timer.set(for: deadline) }
        } catch {
            reply(.failure(error))
        }
    }

    private func ended(_ id: UInt64, of link: UInt64) -> Running? {
        guard let request = running[link]?.removeValue(forKey: id) else { return nil }
        runningCount -= 1
        if running[link]?.isEmpty == true { running[link] = nil }
        return request
    }

    /// Handles a post.
    /// - Throws: ``MessageError`` when the message is not known here, or cannot be decoded.
    package func receive(post frame: Frame, at start: Responder?) throws {
        let name = frame.isAddressed ? String(frame.messageName) : frame.name
        guard let handle = registry.post(name) else {
            throw MessageError(.unhandled, message: name, path: start?.climbedPath ?? [])
        }
        try handle(frame.payload, start.chain, MessageContext.Remote(frame))
    }

    /// Cancels a request's handler: its sender no longer waits.
    package func cancel(_ id: UInt64, link: UInt64 = 0) {
        running[link]?[id]?.task?.cancel()
    }

    /// Cancels the handlers of the requests of a link that is lost: nobody waits for them.
    package func cancelAll(link: UInt64) {
        for request in (running[link] ?? [:]).values where !request.outlivesLink { request.task?.cancel() }
    }

    /// Cancels all handlers: this process takes no more messages.
    package func cancelAll() {
        for request in running.values.flatMap(\.values) { request.task?.cancel() }
    }

    /// Cancels the handlers whose senders have stopped waiting: a cancel may have been lost with its link.
    private func cancelExpired() {
        let now = ContinuousClock.now
        var next: ContinuousClock.Instant?
        for (link, requests) in running {
            for (id, request) in requests {
                guard let deadline = request.deadline, !request.isExpired else { continue }
                if deadline <= now {
                    running[link]?[id]?.isExpired = true
                    request.task?.cancel()
                } else {
                    next = min(next ?? deadline, deadline)
                }
            }
        }
        if let next { timer.set(for: next) }
    }
}

extension MessageContext.Remote {
    convenience init(_ frame: Frame) {
        self.init(
            sender: frame.sender, session: frame.session.isEmpty ? nil : frame.session,
            path: frame.sender.isEmpty ? [] : [frame.sender], requestID: frame.id, trace: frame.trace,
            token: frame.token, messageID: frame.messageID)
    }
}
