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
    /// The task of its handler.
    private var task: Task<Void, Never>?
    private(set) var isFinished = false

    private let name: String
    private let nameIndex: NameIndex
    private let session: String
    private let receiver: MessageReceiver
    private let sender: any RequestSender
    private var end: RequestEnd?

    init(
        _ frame: borrowing Frame, link: UInt64, _ target: Target, in context: MessageContext,
        receiver: MessageReceiver, sender: any RequestSender
    ) {
        id = frame.id
        self.link = link
        outlivesLink = frame.delivery == .once
        name = frame.name
        nameIndex = frame.nameIndex
        session = frame.session
        self.target = target
        self.receiver = receiver
        self.sender = sender
        super.init(frame.payload, context: context)
    }

    /// Encodes the reply, so that ``finish(throwing:)`` sends it. After the deadline it does nothing.
    override func reply<M: ResponderRequest>(_ reply: M.Reply, to message: M.Type) {
        if isExpired { return }
        let frame = Frame(
            replyTo: id, name: name, nameIndex: nameIndex, session: receiver.revision == nil ? "" : session,
            revision: receiver.revision?() ?? 0)
        do {
            let bytes = try frame.encoded(reply: reply, to: message, names: sender.names)
            try Frame.checkSize(of: bytes.count, .reply, message: name)
            end = .reply(bytes)
        } catch {
            end = .failure(error)
        }
    }

    /// Runs the handler until it suspends or ends.
    func begin() {
        // The task inherits the context, because to bind it in the task takes seven asynchronous calls. The task is known only
        // when the handler has suspended, and nothing cancels it before.
        task = MessageContext.with(context) {
            Task.immediate(priority: .userInitiated) { [self] in
                do {
                    try await target.handle(target.responder, self)
                    finish(throwing: nil)
                } catch {
                    finish(throwing: error)
                }
            }
        }
    }

    /// Sends the reply, the error that the handler has thrown, or that the deadline has passed.
    private func finish(throwing error: (any Error)?) {
        isFinished = true
        receiver.ended(self)
        var end = end ?? .failure(MessageError(.malformed, message: name, detail: "its handler has set no reply"))
        if isExpired {
            // Whatever the cancelled handler returns or throws, the deadline ended the request. Both sides report the same
            // outcome.
            end = .failure(MessageError(.timeout, message: context.message, mayHaveBeenHandled: true))
        } else if let error {
            end = .failure(failure(error, at: target))
        }
        sender.end(id, name, with: end)
    }

    func cancel() { task?.cancel() }
}
