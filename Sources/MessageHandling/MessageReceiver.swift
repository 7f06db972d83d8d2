// Hot path: it runs for each request. See "Hot paths" in Contributing.

package import Bus
package import Messaging
import ZeroMQ

/// Receives the requests and posts of another process, and passes them to a responder chain of this process.
@MainActor
package final class MessageReceiver {
    /// The messages that this process can decode.
    package let registry = MessageRegistry()
    /// The requests whose handlers have suspended, by link and by the request's id, which is unique only on its link.
    private var running: [UInt64: [UInt64: ReceivedRequest]] = [:]
    private lazy var timer = LoopTimer { [weak self] in self?.cancelExpired() }

    /// Returns what to add to the error for a message, by its name, that this process cannot decode, so that none of its
    /// responders gets it.
    package var adviceOnUnknown: @MainActor (_ name: String) -> String = { _ in "" }

    /// Returns the revision of the host's container. The host's replies name it, and the session of their request;
    /// `nil` in a peer, whose replies name neither.
    let revision: (@MainActor () -> UInt64)?

    /// - Parameter revision: returns the revision of the host's container; `nil` in a peer.
    package init(revision: (@MainActor () -> UInt64)? = nil) {
        self.revision = revision
    }

    /// Returns the end of a request that no responder of this process gets.
    private func endOfUnknown(_ frame: Frame, _ name: String, at start: Responder?) -> RequestEnd {
        typealias PostsHandled = SceneReportMessagesList.scenePostsHandled
        // The host's question: the frames before it are handled, so the reply is the answer.
        guard revision == nil, name == PostsHandled.name else { return .failure(unknown(name, at: start)) }
        do {
            let reply = Frame(
                replyTo: frame.id, name: frame.name, nameIndex: frame.nameIndex, session: "", revision: 0)
            return .reply(try reply.encoded(reply: NoReply(), to: PostsHandled.self, names: 0))
        } catch {
            return .failure(error)
        }
    }

    private func unknown(_ name: String, at start: Responder?) -> MessageError {
        let advice =
            switch registry.kind(of: name) {
            case .post: "it is a post, which has no reply: send it as a post, in Swift without 'await'"
            case .request: "it is a request: send it as a request, in Swift with 'try await'"
            case nil: adviceOnUnknown(name)
            }
        return MessageError(.unhandled, message: name, path: start?.climbedPath ?? [], detail: advice)
    }

    package private(set) var runningCount = 0

    /// Returns how many requests of a link are being handled.
    package func runningCount(of link: UInt64) -> Int { running[link]?.count ?? 0 }

    package func isHandling(_ id: UInt64, of link: UInt64) -> Bool {
        !running.isEmpty && running[link]?[id] != nil
    }

    /// Handles a request. When this returns, its handler has begun, or it has ended.
    /// - Parameters:
    ///   - frame: the request.
    ///   - link: distinguishes the requests of several links.
    ///   - actor: the text of the actor; `nil` for the one that the frame names.
    ///   - start: the first responder that receives the request.
    ///   - timeLeft: how long its sender still waits. A request past its deadline is not started.
    ///   - sender: gets the reply.
    package func receive(
        _ frame: Frame, link: UInt64 = 0, actor: String? = nil, at start: Responder?, timeLeft: Duration?,
        from sender: any RequestSender
    ) {
        let name = frame.isAddressed ? String(frame.messageName) : frame.name
        if let timeLeft, timeLeft <= .zero {
            let error = MessageError(.timeout, message: name, detail: "it came after its deadline")
            return sender.end(frame.id, frame.name, with: .failure(error))
        }
        guard let findHandler = registry.request(name, at: frame.nameIndex.place) else {
            return sender.end(frame.id, frame.name, with: endOfUnknown(frame, name, at: start))
        }
        let request: ReceivedRequest
        do throws(MessageError) {
            let remote = MessageContext.Remote(frame, link: link, actor: actor)
            let (target, context) = try findHandler(start.chain, remote, timeLeft)
            request = ReceivedRequest(frame, link: link, target, in: context, receiver: self, sender: sender)
        } catch {
            return sender.end(frame.id, frame.name, with: .failure(error))
        }
        if let timeLeft { request.deadline = MonotonicInstant.now + timeLeft }
        request.begin()
        if !request.isFinished { suspended(request) }
    }

    /// Remembers a request whose handler has suspended.
    private func suspended(_ request: ReceivedRequest) {
        if running[request.link, default: [:]].updateValue(request, forKey: request.id) == nil { runningCount += 1 }
        if let deadline = request.deadline { timer.set(noLaterThan: deadline) }
    }

    /// Forgets a request that has ended.
    func ended(_ request: ReceivedRequest) {
        guard !running.isEmpty, running[request.link]?[request.id] === request else { return }
        running[request.link]?[request.id] = nil
        runningCount -= 1
        if running[request.link]?.isEmpty == true { running[request.link] = nil }
    }

    /// Handles a post.
    /// - Throws: ``MessageError`` when the message is unknown here or cannot be decoded.
    package func receive(post frame: Frame, actor: String? = nil, at start: Responder?) throws {
        let name = frame.isAddressed ? String(frame.messageName) : frame.name
        guard let handle = registry.post(name, at: frame.nameIndex.place) else {
            throw unknown(name, at: start)
        }
        try handle(frame.payload, start.chain, MessageContext.Remote(frame, actor: actor))
    }

    /// Cancels a request's handler, because its sender no longer waits.
    package func cancel(_ id: UInt64, link: UInt64 = 0) {
        running[link]?[id]?.cancel()
    }

    /// Cancels the handlers of the requests of a lost link, because their senders no longer wait.
    package func cancelAll(link: UInt64) {
        for request in (running[link] ?? [:]).values where !request.outlivesLink { request.cancel() }
    }

    /// Cancels all handlers, because this process accepts no more messages.
    package func cancelAll() {
        // Without a key path: its first use would take 3 % of a worker's start and end.
        for requests in running.values { for request in requests.values { request.cancel() } }
    }

    /// Cancels the handlers whose senders have stopped waiting. Their cancel frames may have been lost with the link.
    private func cancelExpired() {
        let now = MonotonicInstant.now
        var next: MonotonicInstant?
        for request in running.values.flatMap(\.values) {
            guard let deadline = request.deadline, !request.isExpired else { continue }
            if deadline <= now {
                request.isExpired = true
                request.cancel()
            } else {
                next = min(next ?? deadline, deadline)
            }
        }
        if let next { timer.set(for: next) }
    }
}

extension MessageContext.Remote {
    init(_ frame: borrowing Frame, link: UInt64 = 0, actor: String?) {
        self.init(
            sender: frame.sender, session: frame.session.isEmpty ? nil : frame.session, requestID: frame.id,
            trace: frame.trace, token: frame.token, messageID: frame.messageID, link: link,
            actor: actor ?? frame.actor, parent: frame.parent)
    }
}
