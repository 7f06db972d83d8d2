/// The origin of a message. A handler reads it as ``MessageContext/current`` while it runs.
///
/// It is a class because it is passed on more often than it is made.
public final class MessageContext: Sendable {
    @TaskLocal private static var bound: MessageContext?

    /// The context of the message that the current task handles; `nil` outside a handler.
    public static var current: MessageContext? { bound }

    /// The message's name.
    public let message: String
    /// How long the sender waits for a reply; `nil` if it has set no time limit of its own.
    public let timeout: Duration?
    /// The request's id. Every copy of the request has the same id, and so has the first request of the same name that
    /// its handler sends. `nil` unless the message is declared ``Idempotent()`` or ``Once()``, and always `nil` for a
    /// request from the command `scenebus request`.
    public let messageID: MessageID?
    /// The origin of a message that came from another process; `nil` for a message of this process.
    package let remote: Remote?
    private let origin: Responder?
    /// The message from another process that was being handled when this one was sent.
    private let handled: Remote?
    /// Whether the handler has passed the message on. Further messages of the same name that it sends get a new id.
    @MainActor private var isPassedOn = false
    private let sessionResponder: SessionResponder?

    /// A message's origin in another process.
    package struct Remote: Sendable {
        /// The class name of the responder that sent it; empty if it is unknown.
        package var sender: String
        package var session: String?
        /// The request's id on the link that it came over. A request that is passed on refers to it.
        package var requestID: UInt64
        package var trace: TraceContext
        /// The fencing token with which the sender acted for its session.
        package var token: UInt64
        package var messageID: MessageID?
        /// The link that it came over, which tells the requests of several links apart; 0 for a post.
        package var link: UInt64
        /// The text of the ``MessageActor``; empty if the host has not said who acts.
        package var actor: String
        /// What its sender says of the message because of which it was sent: that one's id; 0 for none.
        package var parent: UInt64

        package init(
            sender: String, session: String?, requestID: UInt64, trace: TraceContext, token: UInt64,
            messageID: MessageID? = nil, link: UInt64 = 0, actor: String = "", parent: UInt64 = 0
        ) {
            self.sender = sender
            self.session = session
            self.requestID = requestID
            self.trace = trace
            self.token = token
            self.messageID = messageID
            self.link = link
            self.actor = actor
            self.parent = parent
        }
    }

    /// Makes the context of a message that is sent in this process. A handler that sends a message of the same name
    /// passes its message on, so the context keeps the origin of the first sender.
    @MainActor
    init(
        sending message: String, delivery: MessageDelivery, from origin: Responder?, session: SessionResponder?,
        timeout: Duration?, id: MessageID?
    ) {
        let current = MessageContext.bound
        let passed = current.flatMap { $0.message == message ? $0 : nil }
        handled = current.flatMap { $0.remote ?? $0.handled }
        self.message = message
        self.timeout = timeout ?? passed?.timeout
        self.origin = passed?.origin ?? origin
        sessionResponder = passed?.sessionResponder ?? session
        remote = passed?.remote
        messageID = delivery == .atMostOnce ? nil : id ?? passed?.takeMessageID() ?? .new()
    }

    @MainActor
    private func takeMessageID() -> MessageID? {
        defer { isPassedOn = true }
        return isPassedOn ? nil : messageID
    }

    /// Makes the context of a message that came over a link and climbs from a responder of this process.
    @MainActor
    init(_ message: String, from remote: Remote, timeout: Duration?, at origin: Responder?, session: SessionResponder?)
    {
        self.message = message
        self.timeout = timeout
        self.remote = remote
        messageID = remote.messageID
        handled = nil
        self.origin = origin
        sessionResponder = session
    }

    /// The responder that sent the message; `nil` if the sender is in another process.
    @MainActor public var senderResponder: Responder? { remote == nil ? origin : nil }

    /// The class name of the responder that sent the message, in this or another process.
    @MainActor public var sender: String { remote?.sender ?? origin?.className ?? "" }

    /// The identifier of the session in whose name the message was sent, such as that of a scene; `nil` if there is
    /// none.
    @MainActor public var session: String? {
        if let remote { return remote.session }
        return (sessionResponder ?? origin?.containingSession)?.sessionIdentifier
    }

    /// The class names of the responders from the sender upwards, as far as this process knows them.
    @MainActor public var path: [String] {
        let first = remote.map { $0.sender.isEmpty ? [] : [$0.sender] } ?? []
        return first + (origin?.climbedPath ?? [])
    }

    /// Who acts, as the host attests it: the peer of the message from another process that this one is, that it passes on,
    /// or that was being handled when it was sent.
    ///
    /// `nil` for a message that this process sent on its own account, for example when a timer fires or a view of its own is
    /// used, and for one that the host sent on its own account.
    public var actor: MessageActor? { cause.flatMap { MessageActor(text: $0.actor) } }

    /// Whether the ``actor`` has sent the message itself. What a peer sends because of another one's message, or passes on, is that
    /// one's act as well, but the peer decides what it says.
    public var isSentByActor: Bool { remote?.parent == 0 }

    /// The message from another process that this one is, or that was being handled when this one was sent.
    package var cause: Remote? { remote ?? handled }

    /// The id of ``cause`` on its link; 0 if there is none.
    package var causeID: UInt64 { remote?.requestID ?? handled?.requestID ?? 0 }

    /// The trace of ``cause``.
    package var trace: TraceContext? { cause?.trace }
}

extension MessageContext {
    /// Runs a body in which a context is ``current``, as it is in the tasks that the body begins. With `nil`, what they send is no
    /// consequence of any message.
    package static func with<Result>(_ context: MessageContext?, _ body: () throws -> Result) rethrows -> Result {
        try $bound.withValue(context, operation: body)
    }

    /// Runs a body in which a context is ``current``.
    package nonisolated(nonsending) static func with<Result>(
        _ context: MessageContext, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await $bound.withValue(context, operation: body)
    }
}
