import DequeModule

/// The messages whose handling is to continue later, and those of the same senders behind them. It is a value.
///
/// The messages of a sender are handled in order. Those of other senders do not wait: among them are heartbeats, without
/// which their senders would look dead.
struct PausedMessages {
    typealias Rest = @MainActor () -> Void

    private struct Sender {
        let id: RoutingID?
        /// Handles the rest of the message that was begun; `nil` if the next message is to begin.
        var rest: Rest?
        var waiting: Deque<SocketPort.Message> = []
    }

    /// A step of the work that is left.
    enum Step {
        case goOn(Rest)
        case begin(SocketPort.Message)
    }

    /// The maximum size of the waiting messages in bytes. Further ones are left in the socket.
    private static let maximumSize = 64 << 20

    private var senders: Deque<Sender> = []
    private var size = 0

    var isEmpty: Bool { senders.isEmpty }
    /// The senders of messages that are not finished.
    var ids: Set<RoutingID> { Set(senders.lazy.compactMap(\.id)) }
    var hasRoom: Bool { size < Self.maximumSize }

    /// Makes a message wait if an earlier one of its sender is not finished.
    /// - Returns: whether it waits.
    mutating func hold(_ message: SocketPort.Message) -> Bool {
        guard let place = senders.firstIndex(where: { $0.id == message.sender }) else { return false }
        senders[place].waiting.append(message)
        size += message.bytes.count
        return true
    }

    /// Adds the rest of a sender's message.
    mutating func add(_ rest: @escaping Rest, of sender: RoutingID?) {
        if let place = senders.firstIndex(where: { $0.id == sender }) {
            senders[place].rest = rest
        } else {
            senders.append(Sender(id: sender, rest: rest))
        }
    }

    /// Removes the next step of the sender that has waited longest, which then waits behind the others.
    mutating func next() -> (sender: RoutingID?, step: Step)? {
        guard var sender = senders.popFirst() else { return nil }
        if let rest = sender.rest.take() {
            senders.append(sender)
            return (sender.id, .goOn(rest))
        }
        guard let message = sender.waiting.popFirst() else { return next() }
        size -= message.bytes.count
        senders.append(sender)
        return (sender.id, .begin(message))
    }
}
