package import Bus
import CBOR
import Messaging
import Glibc
import ZeroMQ

/// A peer's link to the host: says hello, keeps the copy of the container, sends requests and takes them.
///
/// A thin shell around ``LinkMachine``, ``DependencyReplica`` and ``PendingRequests``: it owns the sockets and the timer.
@MainActor
package final class Link {
    package let configuration: LinkConfiguration
    /// Is told what happens.
    package weak var delegate: (any LinkDelegate)?
    /// The worker's scenes; `nil` for other peers.
    package weak var scenes: (any SceneHolder)?
    package internal(set) var replica = DependencyReplica()
    package internal(set) var welcome: Welcome?
    /// The fencing tokens of the sessions whose scenes run here: every frame of a session carries its own.
    package internal(set) var tokens: [String: UInt64] = [:]
    /// Frames that could not be sent or read, by reason.
    package var drops: [String: Int] = [:]
    /// What the host has been told of them on this link.
    var saidDrops: [String: Int] = [:]

    var machine: LinkMachine
    var clock: HostClock?
    /// How many requests may be on their way at a time, as the host has said.
    var credits = Int.max
    /// Counts the connections to hosts: a request of an earlier one must not be answered on this one, where its id is another's.
    package private(set) var generation: UInt64 = 0
    var helloSent = ContinuousClock.now
    // A continuation that is not checked, which would cost an allocation: a request leaves the queue once, and is resumed there.
    typealias Caller = UnsafeContinuation<ArraySlice<UInt8>, any Error>
    /// The requests that have no end yet.
    var requests = RequestQueue<Caller>()
    /// Bytes on their way to the host on this link, and what has come.
    // Not looked at for overlapping accesses, with each message: they call nobody.
    @exclusivity(unchecked) var sendWindow = SendWindow()
    @exclusivity(unchecked) var receivedBytes = ReceivedBytes()
    /// What waits for the window.
    var outbox = Outbox()
    /// Messages that came before the link was ready: what their handlers set could not be published yet, and their replies would
    /// overtake it.
    var early: [Frame] = []
    /// The bytes of their payloads.
    var earlySize = 0
    static let maximumEarlySize = 4 * Frame.maximumSize
    /// Tells this process from another that has its name and its number, on another machine.
    private static let life = UInt64.random(in: 1 ... .max)
    var snapshotParts = SnapshotParts()
    var dealer: SocketPort?
    private var subscriber: SocketPort?
    lazy var timer = LoopTimer { [weak self] in self?.tick() }

    package init(_ configuration: LinkConfiguration) {
        self.configuration = configuration
        machine = LinkMachine(configuration: configuration.machine)
    }

    package var isReady: Bool { machine.state == .ready }
    /// Whether scenes may act: the link is there, and the host is sure to count this process as alive.
    package var mayAct: Bool { isReady && !machine.isSuspended }
    package var pendingCount: Int { requests.count }

    // MARK: - Life

    package func start() {
        perform(machine.start(at: .now))
    }

    /// Says goodbye and closes.
    package func stop() {
        perform(machine.stop())
        timer.cancel()
        failAll(detail: "the link was closed")
    }

    private func tick() {
        let now = ContinuousClock.now
        perform(machine.tick(at: now))
        for (id, request) in requests.removeExpired(at: now) {
            if request.isOnItsWay { sendCancel(id) }
            request.caller.resume(
                throwing: MessageError(
                    .timeout, message: request.message, mayHaveBeenHandled: request.mayHaveBeenHandled))
        }
        sendWaiting()
        arm()
    }

    func arm() {
        let next = [machine.nextTick, requests.nextDeadline].compactMap { $0 }.min()
        guard let next else { return timer.cancel() }
        if timer.deadline.map({ next < $0 }) ?? true { timer.set(for: next) }
    }

    func perform(_ actions: [LinkMachine.Action]) {
        for action in actions {
            switch action {
            case .open: open()
            case .subscribe(let welcome): subscribe(welcome)
            case .becomeReady(let welcome): becomeReady(welcome)
            case .sendHeartbeat(let id): sendHeartbeat(id: id)
            case .suspend: scenes?.leaseExpired()
            case .resume: scenes?.leaseRenewed()
            case .sendGoodbye:
                flushOutbox()
                send(Frame(.goodbye))
            case .close(let loss): close(loss)
            case .fail(let refusal):
                failAll(detail: refusal.reason)
                delegate?.link(self, wasRefused: refusal)
            }
        }
        arm()
    }

    private func open() {
        do {
            try PrivateFolder.check(endpoint: configuration.endpoint)
        } catch {
            let isMissing = error.code == .missing
            // What can be mended only by hand is not tried again.
            return perform(
                isMissing
                    ? machine.foundNoHost(at: .now)
                    : machine.received(Refusal(.unauthorized, error.description), at: .now))
        }
        var options = SocketOptions()
        options.sendHighWaterMark = 0
        options.usesIPv6 = configuration.endpoint.contains("[")
        options.receiveHighWaterMark = 0
        // Goodbye and the last replies leave; a host that is gone holds nobody up.
        options.linger = 200
        do {
            let socket = try Socket(.dealer, in: configuration.context, options: options)
            try socket.connect(configuration.endpoint)
            dealer = SocketPort(socket) { [weak self] in self?.received($0) }
        } catch {
            drops["open: \(error.reason)", default: 0] += 1
            return
        }
        let hello = Hello(
            role: configuration.role, peer: configuration.peer, pid: getpid(), life: Self.life,
            endpoint: configuration.endpoint, software: configuration.software, handles: configuration.handles,
            provides: configuration.provides,
            services: configuration.services, scenes: configuration.scenes, capacity: configuration.capacity,
            credits: configuration.maximumRequests, held: scenes?.heldScenes ?? [])
        generation += 1
        saidDrops = [:]
        sendWindow = SendWindow()
        receivedBytes = ReceivedBytes()
        helloSent = .now
        // A hello's types always encode.
        if let bytes = try? Frame(.hello).encoded(payload: hello) { sendBytes(bytes) }
    }

    private func subscribe(_ welcome: Welcome) {
        if self.welcome == nil {
            self.welcome = welcome
            snapshotParts = SnapshotParts()
            replica.linkOpened(epoch: welcome.epoch)
        }
        subscriber?.close()
        var options = SocketOptions()
        // What is lost beyond them leaves a gap, which is mended; a process that hangs must not grow meanwhile.
        options.receiveHighWaterMark = 2000
        options.sendHighWaterMark = 0
        options.usesIPv6 = configuration.endpoint.contains("[")
        let publisher = HostEndpoint.resolve(publisher: welcome.publisher, connectedTo: configuration.endpoint)
        do {
            try PrivateFolder.check(endpoint: publisher)
        } catch {
            drops["subscribe: \(error)", default: 0] += 1
            return
        }
        do {
            let socket = try Socket(.subscriber, in: configuration.context, options: options)
            try socket.connect(publisher)
            // They arrive in lexicographic order: the first beacon shows that deltas come, too.
            try socket.subscribe(Frame.topic(.delta))
            try socket.subscribe(Frame.topic(.beacon))
            subscriber = SocketPort(socket) { [weak self] in self?.receivedPublished($0) }
        } catch {
            drops["subscribe: \(error.reason)", default: 0] += 1
        }
    }

    private func becomeReady(_ welcome: Welcome) {
        self.welcome = welcome
        credits = max(1, welcome.credits ?? .max)
        sendWaiting()
        delegate?.link(self, isReady: welcome)
        let early = early
        self.early = []
        earlySize = 0
        for frame in early { receivedMessage(frame, at: .now) }
    }

    private func close(_ loss: LinkMachine.Loss) {
        dealer?.close()
        subscriber?.close()
        dealer = nil
        subscriber = nil
        welcome = nil
        early = []
        earlySize = 0
        outbox = Outbox()
        for request in requests.linkLost() { fail(request, detail: loss.description) }
        delegate?.link(self, wasLost: loss)
    }

    private func failAll(detail: String) {
        for request in requests.removeAll() { fail(request, detail: detail) }
    }

    func fail(_ request: RequestQueue<Caller>.Request, detail: String) {
        request.caller.resume(
            throwing: MessageError(
                .peerLost, message: request.message, detail: detail, mayHaveBeenHandled: request.mayHaveBeenHandled))
    }
}
