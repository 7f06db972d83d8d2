import DequeModule

/// The messages whose handling is to continue later, and those of the same senders behind them. It is a value.
///
/// The messages of a sender are handled in order. Those of other senders do not wait: among them are heartbeats, without
/// which their senders would look dead.
struct PausedMessages {
    typealias Rest = @MainActor () -> Void

    /// A step of the work that is left.
    enum Step {
        /// Handles the rest of a message that was begun.
        case goOn(Rest)
        case begin(SocketMessage)
    }

    /// The maximum size of the waiting messages in bytes. Further ones are left in the socket.
    private static let maximumSize = 80 << 20
    /// What a message needs besides its bytes.
    private static let overhead = 128

    /// What waits of one sender.
    private struct Waiting {
        var steps: Deque<Step> = []
        /// The bytes of its messages.
        var bytes = 0
    }

    /// The steps of each sender that has paused, until all of them are done.
    private var waiting: [RoutingID?: Waiting] = [:]
    /// These senders, in the order of their turns.
    private var order: Deque<RoutingID?> = []
    private var size = 0

    var isEmpty: Bool { order.isEmpty }
    var hasRoom: Bool { size < Self.maximumSize }

    /// Returns whether messages of a sender wait, or may come that have to wait.
    func contains(_ sender: RoutingID) -> Bool { !isEmpty && waiting[sender] != nil }

    /// Returns how many bytes the messages of a sender have that wait.
    func bytes(of sender: RoutingID) -> Int { waiting[sender]?.bytes ?? 0 }

    /// Makes a message wait if an earlier one of its sender is not finished.
    /// - Returns: whether it waits.
    mutating func hold(_ message: SocketMessage) -> Bool {
        guard waiting[message.sender] != nil else { return false }
        waiting[message.sender]?.steps.append(.begin(message))
        waiting[message.sender]?.bytes += message.bytes.count
        size += Self.overhead + message.bytes.count
        return true
    }

    /// The messages that wait, those of each sender in their order.
    var held: [SocketMessage] {
        waiting.values.flatMap { $0.steps.compactMap { if case .begin(let message) = $0 { message } else { nil } } }
    }

    /// Drops the messages of a sender that wait. The rest of the one that was begun stays.
    mutating func drop(_ sender: RoutingID) {
        guard let dropped = waiting[sender] else { return }
        waiting[sender] = Waiting()
        for step in dropped.steps {
            switch step {
            case .goOn: waiting[sender]?.steps.append(step)
            case .begin(let message): size -= Self.overhead + message.bytes.count
            }
        }
    }

    /// Adds the rest of a sender's message.
    mutating func add(_ rest: @escaping Rest, of sender: RoutingID?) {
        if waiting[sender] == nil { order.append(sender) }
        waiting[sender, default: Waiting()].steps.prepend(.goOn(rest))
    }

    /// Removes the next step of the sender whose turn it is.
    mutating func next() -> (sender: RoutingID?, step: Step)? {
        while let sender = order.first {
            if let step = waiting[sender]?.steps.popFirst() {
                if case .begin(let message) = step {
                    size -= Self.overhead + message.bytes.count
                    waiting[sender]?.bytes -= message.bytes.count
                }
                return (sender, step)
            }
            endTurn()
        }
        return nil
    }

    /// Goes on to the next sender. The one whose turn ends comes behind the others, if anything of it is left.
    mutating func endTurn() {
        guard let sender = order.popFirst() else { return }
        if waiting[sender]?.steps.isEmpty == false { order.append(sender) } else { waiting[sender] = nil }
    }
}
