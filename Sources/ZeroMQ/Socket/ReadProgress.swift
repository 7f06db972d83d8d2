/// Tells up to when what has arrived at a ROUTER has been read, and for every socket whether messages may be left in it.
/// It is a value: the caller passes in the time.
///
/// While messages are left in the socket, a sender of which nothing was read may have sent something all the same. But
/// the socket receives from its connections in turn, so each sender with a message gets its turn in each round.
struct ReadProgress {
    /// A round has certainly passed when so many messages of one sender were received. When other connections become
    /// empty, libzmq's fair queue moves one forward, which may therefore have up to three turns in a round.
    private static let messagesInRound = 4

    /// A round has also passed after messages of so many senders: more than are connected at a time.
    private static let maximumSenders = 65_536

    /// What had arrived before this time was read, or at least one message of its sender.
    private var readUpTo: MonotonicInstant
    /// When the round began; `nil` while no message can be left.
    private var roundStart: MonotonicInstant?
    /// The number of messages of each sender in this round.
    private var counts: [RoutingID: Int] = [:]

    init(now: MonotonicInstant) { readUpTo = now }

    /// Whether messages may be left in the socket.
    var hasUnread: Bool { roundStart != nil }

    /// Returns the time up to which what had arrived was read, or at least one message of its sender.
    /// - Parameter hasArrivals: whether messages have arrived since the socket was empty.
    func time(at now: MonotonicInstant, hasArrivals: Bool = false) -> MonotonicInstant {
        hasUnread || hasArrivals ? readUpTo : now
    }

    /// Notes that no message was left.
    /// - Parameter now: when the socket was still to be read.
    mutating func emptied(at now: MonotonicInstant) {
        readUpTo = now
        guard hasUnread else { return }
        roundStart = nil
        counts.removeAll(keepingCapacity: true)
    }

    /// Notes that the reading stopped although there may be more messages.
    mutating func stopped(at now: @autoclosure () -> MonotonicInstant) {
        if !hasUnread { roundStart = now() }
    }

    /// Notes a received message.
    /// - Parameter now: when the socket last noticed what had arrived.
    mutating func received(from sender: RoutingID, at now: MonotonicInstant) {
        guard let start = roundStart else { return }
        counts[sender, default: 0] += 1
        guard counts[sender] == Self.messagesInRound || counts.count == Self.maximumSenders else { return }
        readUpTo = start
        roundStart = now
        counts.removeAll(keepingCapacity: true)
    }
}
