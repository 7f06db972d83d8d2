import Bus
import CBOR
import Messaging
import ZeroMQ

/// A request of another process while a handler of this process works on it.
@MainActor
final class ReceivedRequest: IncomingRequest {
    let id: UInt64
    let link: UInt64
    /// Whether the handler continues when the link is lost: its reply will be requested again.
    let outlivesLink: Bool
    let target: Target
    /// When its sender stops waiting; `nil` for never.
    var deadline: MonotonicInstant?
    /// Whether it has been cancelled because of its deadline.
    var isExpired = false
    private(set) var isEnded = false
    /// The task of its handler; `nil` before it begins and after it has ended.
    var task: HandlerTask?

    private let name: String
    private let session: String
    private let receiver: MessageReceiver
    private let reply: MessageReceiver.Reply
    private var end: RequestEnd?

    init(
        _ frame: borrowing Frame, link: UInt64, _ target: Target, in context: MessageContext, receiver: MessageReceiver,
        reply: @escaping MessageReceiver.Reply
    ) {
        id = frame.id
        self.link = link
        outlivesLink = frame.delivery == .once
        name = frame.name
        session = receiver.revision == nil ? "" : frame.session
        self.target = target
        self.receiver = receiver
        self.reply = reply
        super.init(frame.payload, context: context)
    }

    /// Encodes the reply.
    override func reply<M: ResponderRequest>(_ reply: M.Reply, to message: M.Type) {
        var frame = Frame(.reply, name: name)
        frame.id = id
        frame.session = session
        if let revision = receiver.revision { frame.revision = revision() }
        do {
            let bytes = try frame.encoded(reply: reply, to: message)
            try Frame.checkSize(of: bytes.count, .reply, message: name)
            end = .reply(bytes)
        } catch {
            end = .failure(error)
        }
    }

    /// Sends the reply, or the error that the handler has thrown.
    func finish(throwing error: (any Error)?) {
        task = nil
        isEnded = true
        receiver.ended(self)
        var end = end ?? .failure(MessageError(.malformed, message: name, detail: "its handler has set no reply"))
        if let error {
            // Whatever error the cancelled handler throws, the deadline ended the request. Both sides report the same
            // outcome.
            end = .failure(
                isExpired
                    ? MessageError(.timeout, message: context.message, mayHaveBeenHandled: true)
                    : failure(error, at: target))
        }
        reply(end)
    }

    func cancel() { task?.cancel() }
}
