package import Bus
import CBOR
import Messaging
import DequeModule
import Glibc
import ZeroMQ

/// A peer's link to the host: says hello, keeps the copy of the container, sends requests and takes them.
///
/// A thin shell around ``LinkMachine``, ``DependencyReplica`` and ``PendingRequests``: it owns the sockets and the timer.
@MainActor
package final class Link {
    /// What the link tells its owner.
    package struct Handlers {
        /// The link can be used, for the first time or again.
        package var ready: @MainActor (Welcome) -> Void = { _ in }
        /// The host ends: say what there is left to say.
        package var ending: @MainActor () -> Void = {}
        /// The link is lost; another try follows by itself.
        package var lost: @MainActor (LinkMachine.Loss) -> Void = { _ in }
        /// The host refused for good.
        package var refused: @MainActor (Refusal) -> Void = { _ in }
        /// The container changed.
        package var dependencies: @MainActor (DependencyReplica.Action) -> Void = { _ in }
        /// The keys of the entries that are there: another life of the host has a while to set them, too.
        package var knownKeys: @MainActor () -> Set<String> = { [] }
        /// A request of the host; answer with ``Link/reply(to:of:with:)``.
        package var request: @MainActor (Frame) -> Void = { _ in }
        package var post: @MainActor (Frame) -> Void = { _ in }
        /// The host may count this process as dead by now: its scenes must not act.
        package var suspend: @MainActor () -> Void = {}
        /// The host has not: they may act again.
        package var resume: @MainActor () -> Void = {}
        /// The scenes that have been kept, suspended, since the last link.
        package var heldScenes: @MainActor () -> [HeldScene] = { [] }
        /// The host no longer waits for the answer to a request.
        package var cancelled: @MainActor (_ id: UInt64) -> Void = { _ in }

        package init() {}
    }

    struct Waiter {
        var message: String
        // Not checked, which would cost an allocation: a waiter leaves `pending` once, and is resumed there.
        var continuation: UnsafeContinuation<ArraySlice<UInt8>, any Error>
        /// On its way on the present link.
        var isSent = false
        /// Sent on an earlier link.
        var isCopy = false
        /// What is sent again on the next link; `nil` for what is sent once.
        var kept: Outgoing?
        /// Its end has come, and says more than this peer's container knows yet.
        var isHeld = false

        /// It was sent, on this link or an earlier one.
        var mayHaveBeenHandled: Bool { isSent || isCopy }
    }

    /// A request as it is sent, but for what is known last: its id, its deadline, its token.
    struct Outgoing {
        var id: UInt64 = 0
        var bytes: [UInt8]
        /// The session that it speaks for; empty for none.
        var session: String
        var deadline: ContinuousClock.Instant
    }

    package let configuration: LinkConfiguration
    package var handlers = Handlers()
    package internal(set) var replica = DependencyReplica()
    package internal(set) var welcome: Welcome?
    /// The fencing tokens of the sessions whose scenes run here: every frame of a session carries its own.
    package internal(set) var tokens: [String: UInt64] = [:]
    /// Sessions whose scenes must not act, with the requests that they have sent since.
    var suspended: [String: [Outgoing]] = [:]
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
    var pending = PendingRequests<Waiter>()
    /// Requests that wait for the link, or for a credit.
    var waiting = Deque<Outgoing>()
    /// Entries of ``waiting`` and ``suspended`` that nobody waits for any more; taken out when there are many.
    var staleCount = 0
    /// The bytes of ``waiting`` and ``suspended``; at least.
    var waitingBytes = 0
    /// Requests that are on their way.
    var inFlight = 0
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
    /// Replies that say more than this peer's container knows yet.
    var heldReplies: [Frame] = []
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
    package var pendingCount: Int { pending.count }

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
        for (id, waiter) in pending.removeExpired(at: now) {
            left(waiter, id)
            waiter.continuation.resume(
                throwing: MessageError(
                    .timeout, message: waiter.message, mayHaveBeenHandled: waiter.mayHaveBeenHandled))
        }
        sendWaiting()
        arm()
    }

    func arm() {
        let next = [machine.nextTick, pending.nextDeadline].compactMap { $0 }.min()
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
            case .suspend: handlers.suspend()
            case .resume: handlers.resume()
            case .sendGoodbye:
                flushOutbox()
                send(Frame(.goodbye))
            case .close(let loss): close(loss)
            case .fail(let refusal):
                failAll(detail: refusal.reason)
                handlers.refused(refusal)
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
            credits: configuration.maximumRequests, held: handlers.heldScenes())
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
        handlers.ready(welcome)
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
        heldReplies = []
        early = []
        earlySize = 0
        inFlight = 0
        outbox = Outbox()
        // Requests that were not sent yet wait on, for the next link, and those that may be sent again do so before them.
        for waiter in pending.removeAll(where: { $0.isSent && $0.kept == nil }) {
            fail(waiter, detail: loss.description)
        }
        let again = pending.all { $0.isSent }
        for id in again.reversed() {
            guard var kept = pending.waiter(id)?.kept else { continue }
            // The host knows then that what it says of this one is not true of the one before.
            Frame.stampCopy(&kept.bytes)
            pending.update(id) {
                $0.isSent = false
                $0.isCopy = true
                $0.isHeld = false
                $0.kept = kept
            }
            waitingBytes += kept.bytes.count
            waiting.prepend(kept)
        }
        handlers.lost(loss)
    }

    private func failAll(detail: String) {
        waiting = []
        suspended = [:]
        waitingBytes = 0
        staleCount = 0
        inFlight = 0
        for waiter in pending.removeAll() { fail(waiter, detail: detail) }
    }

    func fail(_ waiter: Waiter, detail: String) {
        waiter.continuation.resume(
            throwing: MessageError(
                .peerLost, message: waiter.message, detail: detail, mayHaveBeenHandled: waiter.mayHaveBeenHandled))
    }
}
