/// Where a message came from: known to its handler while it runs, as ``MessageContext/current``.
///
/// A class, because it is handed from call to call more often than it is made.
public final class MessageContext: Sendable {
    /// The context of the message that the current task handles; `nil` outside of a handler.
    @TaskLocal public static var current: MessageContext?

    /// The message's name.
    public let message: String
    /// How long the sender waits; `nil` when it waits as long as the bus does.
    public let timeout: Duration?
    /// The request's id, the same for each copy of it, and for what its handler passes on first. `nil` unless the message is
    /// declared ``Idempotent()`` or ``Once()``; what `scenebus request` sends never has one.
    public let messageID: MessageID?
    /// What the bus knows of a message that came from another process.
    package let remote: Remote?
    private let origin: Responder?
    /// Its handler has passed it on: what it sends of the same name after that is a request of its own.
    @MainActor private var isPassedOn = false
    private let sessionResponder: SessionResponder?

    /// A message's origin in another process.
    package final class Remote: Sendable {
        package let sender: String
        package let session: String?
        package let path: [String]
        /// The id that the link which brought it knows it by: what is passed on names it.
        package let requestID: UInt64
        package let trace: TraceContext
        /// The fencing token with which the sender spoke for its session.
        package let token: UInt64
        package let messageID: MessageID?

        package init(
            sender: String, session: String?, path: [String], requestID: UInt64, trace: TraceContext, token: UInt64,
            messageID: MessageID? = nil
        ) {
            self.sender = sender
            self.session = session
            self.path = path
            self.requestID = requestID
            self.trace = trace
            self.token = token
            self.messageID = messageID
        }
    }

    /// A message sent in this process. What a handler passes on keeps the first sender's origin.
    @MainActor
    init(
        sending message: String, delivery: MessageDelivery, from origin: Responder?, session: SessionResponder?,
        timeout: Duration?
    ) {
        let passed = MessageContext.current.flatMap { $0.message == message ? $0 : nil }
        self.message = message
        self.timeout = timeout ?? passed?.timeout
        self.origin = passed?.origin ?? origin
        sessionResponder = passed?.sessionResponder ?? session
        remote = passed?.remote
        messageID = delivery == .atMostOnce ? nil : passed?.takeMessageID() ?? .new()
    }

    @MainActor
    private func takeMessageID() -> MessageID? {
        defer { isPassedOn = true }
        return isPassedOn ? nil : messageID
    }

    /// A message that came over a link, and goes on from a responder of this process.
    @MainActor
    init(_ message: String, from remote: Remote, timeout: Duration?, at origin: Responder?, session: SessionResponder?)
    {
        self.message = message
        self.timeout = timeout
        self.remote = remote
        messageID = remote.messageID
        self.origin = origin
        sessionResponder = session
    }

    /// The responder that sent the message, when it did so in this process.
    @MainActor public var senderResponder: Responder? { remote == nil ? origin : nil }

    /// The class name of the responder that sent the message, in whichever process.
    @MainActor public var sender: String { remote?.sender ?? origin?.className ?? "" }

    /// The identifier of the session in whose name the message was sent, such as that of a scene; `nil` when there is none.
    @MainActor public var session: String? {
        if let remote { return remote.session }
        return (sessionResponder ?? origin?.containingSession)?.sessionIdentifier
    }

    /// The responders from the sender upwards, as far as this process knows them.
    @MainActor public var path: [String] { (remote?.path ?? []) + (origin?.climbedPath ?? []) }

    /// The trace that the message belongs to: its own, or that of the message being handled when it was sent.
    package var trace: TraceContext? { remote?.trace ?? MessageContext.current?.remote?.trace }
}
