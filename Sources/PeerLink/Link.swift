package import Bus
import CBOR
package import Messaging
import Glibc
import ZeroMQ

/// A peer's link to the host. It sends the hello, maintains the copy of the container, and sends and receives requests.
///
/// It owns the sockets and the timer. The logic is in ``LinkMachine``, ``DependencyReplica`` and ``RequestQueue``.
@MainActor
package final class Link: TurnOutput {
    package let configuration: LinkConfiguration
    /// The keys for TCP, as of the last attempt; `nil` without keys.
    package internal(set) var security: LinkSecurity?
    // The runtime does not check accesses to it for overlaps: see "Hot paths" in Contributing. While one lasts, nothing else
    // uses it.
    @exclusivity(unchecked) var traffic: LinkTraffic
    /// The object that is notified of the link's events.
    package weak var delegate: (any LinkDelegate)?
    /// The worker's scenes; `nil` for other peers.
    package weak var scenes: (any SceneHolder)?
    /// Is called with the name of each post that this process sends; `nil` while nobody needs to know.
    package var onPost: (@MainActor (_ name: String, _ context: MessageContext) -> Void)?
    package internal(set) var replica = DependencyReplica()
    package internal(set) var welcome: Welcome?
    /// The fencing tokens of the sessions whose scenes run here. Every frame of a session carries its token.
    package internal(set) var tokens: [String: UInt64] = [:]
    /// The number of frames that could not be sent or read, by reason.
    package var drops: [String: Int] = [:]
    /// The drops that were last reported to the host on this link.
    var saidDrops: [String: Int] = [:]

    /// Counts the connections to hosts. A request from an earlier connection must not be answered on this one, where
    /// its id belongs to another request.
    package var generation: UInt64 { traffic.generation }
    var helloSent = MonotonicInstant.now
    /// The host's last mark, which the next heartbeat returns.
    var mark: UInt64?
    /// The number of messages and frames that have arrived from the host over the bus.
    package var received: (messages: UInt64, frames: UInt64) { traffic.received }
    /// The sender of the requests of this connection or an earlier one.
    var lastSender: LinkRequestSender?
    /// The message whose reading has paused.
    var unfinished: HostMessage?
    var snapshotAssembly = SnapshotAssembly()
    var subscriber: SocketPort?
    /// The number of handshakes that the other side has cut off since the last one that succeeded.
    var cutOffHandshakes = 0
    private(set) lazy var timer = LoopTimer { [weak self] in self?.tick() }

    package init(_ configuration: LinkConfiguration) {
        self.configuration = configuration
        security = configuration.security
        traffic = LinkTraffic(machine: LinkMachine(configuration: configuration.machine))
    }

    package var isReady: Bool { traffic.machine.state == .ready }
    /// Whether scenes may act: the link is ready, and the host is certain to consider this process alive.
    package var mayAct: Bool { isReady && !traffic.machine.isSuspended }
    package var pendingCount: Int { traffic.requests.count }

    // MARK: - Life cycle

    package func start() {
        perform(traffic.machine.start(at: .now))
    }

    /// Sends a goodbye and closes the link.
    package func stop() {
        perform(traffic.machine.stop())
        timer.cancel()
        failAll(detail: "the link was closed")
    }

    private func tick() {
        let now = MonotonicInstant.now
        perform(traffic.machine.tick(at: now))
        for (id, request) in traffic.requests.removeExpired(at: now) {
            if request.isOnItsWay { sendCancel(id) }
            request.fail(
                MessageError(.timeout, message: request.message, mayHaveBeenHandled: request.mayHaveBeenHandled))
        }
        sendWaiting()
        arm()
    }

    func arm() {
        let next = [traffic.machine.nextTick, traffic.requests.nextDeadline].compactMap { $0 }.min()
        guard let next else { return timer.cancel() }
        timer.set(noLaterThan: next)
    }

    func perform(_ actions: [LinkMachine.Action]) {
        for action in actions {
            switch action {
            case .open:
                security?.readAgain()
                open()
            case .greetAgain: greet()
            case .subscribe(let welcome): subscribe(welcome)
            case .becomeReady(let welcome): becomeReady(welcome)
            case .sendHeartbeat(let id): sendHeartbeat(id: id)
            // Whoever's message has led to it: what other scenes send then is no consequence of it.
            case .suspend: MessageContext.with(nil) { scenes?.leaseExpired() }
            case .resume: MessageContext.with(nil) { scenes?.leaseRenewed() }
            case .sendGoodbye:
                flushOutbox()
                send(Frame(.goodbye))
            case .close(let loss): close(loss)
            case .waitForTurn(let refusal): delegate?.link(self, wasLost: .refused(refusal))
            case .fail(let refusal):
                failAll(detail: refusal.reason)
                delegate?.link(self, wasRefused: refusal)
            }
        }
        arm()
    }

    func open() {
        do {
            try PrivateFolder.check(endpoint: configuration.endpoint)
        } catch {
            let isMissing = error.code == .missing
            // A problem that only a person can fix is not retried.
            return perform(
                isMissing
                    ? traffic.machine.foundNoHost(at: .now)
                    : traffic.machine.received(Refusal(.unauthorized, error.description), at: .now))
        }
        var options = SocketOptions()
        options.sendHighWaterMark = 0
        options.usesIPv6 = configuration.endpoint.contains("[")
        options.receiveHighWaterMark = 0
        options.security = security?.ofSockets
        // Enough to send the goodbye and the last replies, without a long wait for a host that is gone.
        options.linger = 200
        do {
            let socket = try Socket(.dealer, in: configuration.context, options: options)
            let dealer = SocketPort(socket) { [weak self] in self?.received($0) }
            traffic.dealer = dealer
            // Before connecting, so that no handshake is missed.
            watchHandshakes()
            try dealer.withSocket { [endpoint = configuration.endpoint] (socket) throws(ZeroMQError) in
                try socket.connect(endpoint)
            }
        } catch {
            traffic.dealer?.close()
            traffic.dealer = nil
            drops["open: \(error.reason)", default: 0] += 1
            return
        }
        traffic.generation += 1
        saidDrops = [:]
        traffic.outgoing = OutgoingFrames()
        traffic.texts.names = NameTable()
        greet()
    }

    /// Sends the hello on a connection on which nothing else was sent.
    private func greet() {
        let hello = Hello(
            role: configuration.role, peer: configuration.peer, pid: getpid(), life: ProcessIdentity.ownLife,
            endpoint: configuration.endpoint, software: configuration.software, handles: configuration.handles,
            provides: configuration.provides,
            services: configuration.services, scenes: configuration.scenes, capacity: configuration.capacity,
            credits: configuration.maximumRequests, held: scenes?.heldScenes ?? [], batch: OutgoingFrames.maximumBatch,
            names: NameTable.maximumCount, actors: true,
            secrets: configuration.secrets.isEmpty ? nil : configuration.secrets)
        // Both sides count the bytes of a link from its hello on.
        traffic.sendWindow = SendWindow()
        traffic.receivedBytes = ReceivedBytes()
        mark = nil
        helloSent = .now
        // A hello can always be encoded.
        if let bytes = try? Frame(.hello).encoded(payload: hello) { sendBytes(bytes) }
    }

    private func becomeReady(_ welcome: Welcome) {
        self.welcome = welcome
        traffic.credits = Credits.granted(welcome.credits)
        traffic.outbox = Outbox(maximumUnanswered: welcome.publishes)
        // Before the waiting requests: the delegate publishes the entries that were set while there was no link, and what
        // was set before a request must arrive before it.
        delegate?.link(self, isReady: welcome)
        sendWaiting()
        // `HostMessage` handles the messages that have arrived early, before the frames behind the one that is being read.
    }
}
