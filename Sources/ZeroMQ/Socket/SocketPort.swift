/// The owner of one socket on the main actor. It sends messages at once, and passes each received message to a
/// function.
@MainActor
public final class SocketPort: EventSource {
    /// A function that decides, from a message's bytes, whether its origin is looked up.
    public typealias OriginAsker = @MainActor (UnsafeRawBufferPointer) -> Bool

    /// A function that handles a received message.
    public typealias Receiver = @MainActor (SocketMessage) -> Void

    /// The maximum number of messages that one call of `drain()` receives before other sources get their turn.
    private static let batch = 256
    /// The number of bytes after which `drain()` receives no more messages: large messages usually need more work.
    private static let batchSize = 256 << 10

    nonisolated let descriptor: Int32
    private let isRouter: Bool
    private let receiver: Receiver
    private let asksOrigin: OriginAsker?
    /// How many bytes of a sender may wait behind a paused message of it, and what is called with a sender of which more
    /// wait. They are dropped then.
    private let overrun: (limit: Int, isReached: @MainActor (RoutingID) -> Void)?
    // The runtime does not check accesses to it for overlaps: see "Hot paths" in Contributing. Its parts call no other code
    // but `asksOrigin` and the body of `withSocket`, which do not use the port.
    @exclusivity(unchecked) private var state: State

    /// What changes while a port is open.
    private struct State: ~Copyable {
        var socket: Socket?
        /// Whether the port is in the reactor's list of sources to drain.
        var isDirty = false
        /// The messages whose handling was paused.
        var paused = PausedMessages()
        /// Whether the next turn continues with paused messages. The turns alternate, so that no messages starve.
        var continuesPaused = false
        var progress = ReadProgress(now: .now)
        /// The sender of the message that is being handled, or was handled last.
        var sender: RoutingID?
        /// Watches the handshakes of the socket.
        var handshakes: HandshakeMonitor?
    }

    var isDirty: Bool {
        get { state.isDirty }
        set { state.isDirty = newValue }
    }

    /// The messages whose handling was paused.
    var paused: PausedMessages { state.paused }

    /// Takes ownership of a socket and starts to receive messages.
    /// - Parameters:
    ///   - asksOrigin: decides whose origins are looked up; `nil` for no message's. It must not use the port.
    ///   - overrun: for a ROUTER: how many bytes of a sender may wait behind a paused message of it, and what is called
    ///     with a sender of which more have arrived. What waits of it is dropped.
    public init(
        _ socket: consuming Socket, asksOrigin: OriginAsker? = nil,
        overrun: (limit: Int, isReached: @MainActor (RoutingID) -> Void)? = nil, receiver: @escaping Receiver
    ) {
        self.asksOrigin = asksOrigin
        self.overrun = overrun
        descriptor = socket.descriptor
        isRouter = socket.kind == .router
        state = State(socket: consume socket)
        self.receiver = receiver
        Reactor.shared.add(self)
    }

    /// Closes the socket. The receiver is not called afterwards.
    /// - Returns: the messages that were received and wait behind a paused one.
    @discardableResult
    public func close() -> [SocketMessage] {
        guard state.socket != nil else { return [] }
        Reactor.shared.remove(self)
        state.socket = nil
        // After the socket, which would otherwise wait for it.
        state.handshakes?.close()
        state.handshakes = nil
        let paused = state.paused
        state.paused = PausedMessages()
        return paused.held
    }

    public var isOpen: Bool { state.socket != nil }

    /// The addresses at which nobody can connect any more, because their files have been removed or replaced.
    package var lostEndpoints: [String] { state.socket?.lostEndpoints ?? [] }

    /// Calls `body` with the socket, for example to bind, connect or subscribe. `body` must not close the port.
    /// - Returns: The result of `body`; `nil` if the port is closed.
    @discardableResult
    public func withSocket<Result>(_ body: (borrowing Socket) throws(ZeroMQError) -> Result) throws(ZeroMQError)
        -> Result?
    {
        guard state.socket != nil else { return nil }
        let result = try body(state.socket!)
        Reactor.shared.markDirty(self)
        return result
    }

    /// Sends a message of one part.
    /// - Returns: `false` if the queue is full, there is no peer, or the port is closed.
    @discardableResult
    public func send(_ bytes: [UInt8]) throws(ZeroMQError) -> Bool {
        guard state.socket != nil else { return false }
        defer { Reactor.shared.markDirty(self) }
        return try state.socket!.send(bytes)
    }

    /// ROUTER only: sends a message of one part to a peer.
    /// - Returns: `false` if the queue is full or the port is closed.
    /// - Throws: `ZeroMQError` if the peer is gone.
    @discardableResult
    public func send(_ bytes: [UInt8], to routingID: RoutingID) throws(ZeroMQError) -> Bool {
        guard state.socket != nil else { return false }
        defer { Reactor.shared.markDirty(self) }
        guard try state.socket!.send(to: routingID) else { return false }
        return try state.socket!.send(bytes)
    }

    /// Watches the handshakes of the socket until the port is closed. Call it before the socket connects, so that none is
    /// missed.
    /// - Throws: `ZeroMQError` if the context cannot open another socket.
    public func watchHandshakes(
        in context: SocketContext, onOutcome: @escaping @MainActor (HandshakeMonitor.Outcome) -> Void
    ) throws(ZeroMQError) {
        guard state.socket != nil else { return }
        state.handshakes = try HandshakeMonitor(state.socket!, in: context, onOutcome: onOutcome)
    }

    /// Pauses the handling of the message that was received. It continues in a later turn of the loop. The messages of
    /// other senders are received and timers fire in between, about every 10 ms. Later messages of the same sender wait.
    /// A port that is closed does not continue.
    /// - Parameter rest: handles the rest of the message.
    public func continueLater(_ rest: @escaping @MainActor () -> Void) {
        guard state.socket != nil else { return }
        state.paused.add(rest, of: state.sender)
    }

    /// Returns whether a message of a sender is paused. What the sender has sent since then is not handled yet.
    public func isPaused(_ sender: RoutingID) -> Bool { state.paused.contains(sender) }

    /// ROUTER only: returns how many bytes of a sender wait behind a paused message of it.
    package func unhandledBytes(of sender: RoutingID) -> Int { state.paused.bytes(of: sender) }

    /// ROUTER only: whether messages are left in the socket, because there was no time or no room for them.
    public var hasUnread: Bool { state.progress.hasUnread }

    /// Returns up to when the silence of a sender that is not paused means that it has sent nothing. What
    /// it has sent later may be left in the socket.
    public func readUpTo(at now: MonotonicInstant) -> MonotonicInstant {
        // Other work of the loop may have taken long since the socket was empty.
        let hasArrivals = !state.progress.hasUnread && state.socket?.noticeArrivals() == true
        // The descriptor does not report again what has been noticed.
        if hasArrivals { Reactor.shared.markDirty(self) }
        return state.progress.time(at: now, hasArrivals: hasArrivals)
    }

    func drain() -> HandledEvents {
        // While messages are paused, every second turn continues with them, and the port is drained in each.
        let handled = state.continuesPaused ? handlePaused() : handleReceived()
        state.continuesPaused = !state.continuesPaused && !state.paused.isEmpty
        guard state.socket != nil else { return .all }
        return state.paused.isEmpty ? handled : .some
    }

    /// Receives messages for some time, and handles those that do not have to wait for paused ones.
    private func handleReceived() -> HandledEvents {
        var handled = 0
        var size = 0
        let start = MonotonicInstant.now
        let end = start + TurnLimits.source
        var flushTime: MonotonicInstant?
        let hadUnread = state.progress.hasUnread
        // Noticing arrivals takes a system call, and only a ROUTER's progress needs it.
        if hadUnread, isRouter { state.socket?.noticeArrivals() }
        while handled < Self.batch, size < Self.batchSize, state.socket != nil, state.paused.hasRoom {
            // Receiving fails only when the context is terminated. No more messages come then.
            guard let message = try? receive() else {
                state.progress.emptied(at: start)
                return handled > 0 ? .all : .nothing
            }
            handled += 1
            size += message.bytes.count
            if let sender = message.sender { state.progress.received(from: sender, at: start) }
            if !state.paused.isEmpty, state.paused.hold(message) {
                if let overrun, let sender = message.sender, state.paused.bytes(of: sender) > overrun.limit {
                    state.paused.drop(sender)
                    overrun.isReached(sender)
                }
                continue
            }
            state.sender = message.sender
            receiver(message)
            let now = MonotonicInstant.now
            guard now < end else { break }
            if let flushTime, now < flushTime { continue }
            // The replies to the first message leave at once. Often it is the only one, and then the next check for
            // messages is also the one that is due after a send.
            Reactor.shared.flushOutputs()
            // For the same reason, waiting tasks, such as those that the message has resumed, continue before that
            // check. If the last turn may have left messages, more are likely, and they are read first. A ROUTER, which
            // only a host has, is always read on: one write to the store then serves all peers. If a timer is due, the
            // messages are read first, too, because the timer may act on a peer's silence.
            if flushTime == nil, !hadUnread, !isRouter, Reactor.shared.continuesTasks(at: now) { break }
            flushTime = now + TurnLimits.flush
        }
        state.progress.stopped(at: .now)
        return .some
    }

    /// Continues with the paused messages for some time. Their senders take turns, which end with the first step after 2 ms.
    private func handlePaused() -> HandledEvents {
        var now = MonotonicInstant.now
        let end = now + TurnLimits.source
        while now < end {
            let endOfTurn = now + TurnLimits.message
            repeat {
                Reactor.shared.flushOutputs()
                guard state.socket != nil, let (sender, step) = state.paused.next() else { return .some }
                state.sender = sender
                switch step {
                case .goOn(let rest): rest()
                case .begin(let message): receiver(message)
                }
                now = .now
            } while now < endOfTurn
            state.paused.endTurn()
        }
        return .some
    }

    private func receive() throws(ZeroMQError) -> SocketMessage? {
        var sender: RoutingID?
        if isRouter {
            guard let first = try state.socket!.receiveRoutingID() else { return nil }
            guard first.hasMore else { return SocketMessage(sender: first.id, bytes: [], isMalformed: true) }
            sender = first.id
        }
        let part: Socket.Part
        var origin: MessageOrigin?
        if let asksOrigin {
            guard let received = try state.socket!.receive(asking: asksOrigin) else { return nil }
            (part, origin) = received
        } else {
            guard let received = try state.socket!.receive() else { return nil }
            part = received
        }
        guard part.hasMore else { return SocketMessage(sender: sender, bytes: part.bytes, origin: origin) }
        while let rest = try state.socket!.receive(), rest.hasMore {}
        return SocketMessage(sender: sender, bytes: part.bytes, isMalformed: true, origin: origin)
    }
}
