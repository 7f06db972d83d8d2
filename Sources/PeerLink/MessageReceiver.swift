package import Bus
package import Messaging
import ZeroMQ

/// Receives the requests and posts of another process, and passes them to a responder chain of this process.
@MainActor
package final class MessageReceiver {
    // Overlapping accesses to these are not checked, because the checks would run several times for each message. They
    // cannot occur: these values call no other code.

    /// The messages that this process can decode.
    @exclusivity(unchecked) package var registry = MessageRegistry()
    /// The running requests, by link and by the request's id, which is unique only on its link.
    @exclusivity(unchecked) private var running: [UInt64: [UInt64: Running]] = [:]
    private lazy var timer = LoopTimer { [weak self] in self?.cancelExpired() }

    private struct Running {
        let task: Task<Void, Never>?
        /// Whether the handler continues when the link is lost: its reply will be requested again.
        let outlivesLink: Bool
        /// When its sender stops waiting; `nil` for never.
        let deadline: MonotonicInstant?
        /// Whether it has been cancelled because of its deadline.
        var isExpired = false
    }

    /// What to add to the error for a message that this process cannot decode, so that none of its responders gets it.
    package var adviceOnUnknown = ""

    package init() {}

    private func unknown(_ name: String, at start: Responder?) -> MessageError {
        MessageError(.unhandled, message: name, path: start?.climbedPath ?? [], detail: adviceOnUnknown)
    }

    @exclusivity(unchecked) package private(set) var runningCount = 0

    package func isHandling(_ id: UInt64, of link: UInt64) -> Bool {
        !running.isEmpty && running[link]?[id] != nil
    }

    /// Handles a request.
    /// - Parameters:
    ///   - frame: the request.
    ///   - link: distinguishes the requests of several links.
    ///   - start: the first responder that receives the request.
    ///   - timeLeft: how long its sender still waits. A request past its deadline is not started.
    ///   - reply: called once, with the reply, which is not encoded yet, or with the error.
    package func receive(
        _ frame: Frame, link: UInt64 = 0, at start: Responder?, timeLeft: Duration?,
        reply: @escaping ResponderChain.Finish
    ) {
        let name = frame.isAddressed ? String(frame.messageName) : frame.name
        if let timeLeft, timeLeft <= .zero {
            return reply(.failure(MessageError(.timeout, message: name, detail: "it came after its deadline")))
        }
        guard let receive = registry.request(name) else {
            return reply(.failure(unknown(name, at: start)))
        }
        var isFinished = false
        // The handler's closure keeps the id instead of the frame.
        let id = frame.id
        do {
            let task = try receive(frame.payload, start.chain, MessageContext.Remote(frame), timeLeft) { result in
                isFinished = true
                guard self.ended(id, of: link)?.isExpired == true, case .failure = result else {
                    return reply(result)
                }
                // Whatever error the cancelled handler throws, the deadline ended the request. Both sides report the
                // same outcome.
                reply(.failure(MessageError(.timeout, message: name, mayHaveBeenHandled: true)))
            }
            // Most requests have ended by now.
            guard !isFinished else { return }
            let deadline = timeLeft.map { MonotonicInstant.now + $0 }
            let request = Running(task: task, outlivesLink: frame.delivery == .once, deadline: deadline)
            if running[link, default: [:]].updateValue(request, forKey: id) == nil { runningCount += 1 }
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
    /// - Throws: ``MessageError`` when the message is unknown here or cannot be decoded.
    package func receive(post frame: Frame, at start: Responder?) throws {
        let name = frame.isAddressed ? String(frame.messageName) : frame.name
        guard let handle = registry.post(name) else {
            throw unknown(name, at: start)
        }
        try handle(frame.payload, start.chain, MessageContext.Remote(frame))
    }

    /// Cancels a request's handler, because its sender no longer waits.
    package func cancel(_ id: UInt64, link: UInt64 = 0) {
        running[link]?[id]?.task?.cancel()
    }

    /// Cancels the handlers of the requests of a lost link, because their senders no longer wait.
    package func cancelAll(link: UInt64) {
        for request in (running[link] ?? [:]).values where !request.outlivesLink { request.task?.cancel() }
    }

    /// Cancels all handlers, because this process accepts no more messages.
    package func cancelAll() {
        for request in running.values.flatMap(\.values) { request.task?.cancel() }
    }

    /// Cancels the handlers whose senders have stopped waiting. Their cancel frames may have been lost with the link.
    private func cancelExpired() {
        let now = MonotonicInstant.now
        var next: MonotonicInstant?
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
