import Bus
import CBOR
import CoordinatorKit
import Link
import ZeroMQ

/// Carries requests to whoever handles them, and their ends back to whoever sent them.
///
/// The order of the climb: the plugins that handle the message, in the order in which they attached, then this process's own
/// chain. What a plugin passes on goes on above it.
@MainActor
final class RequestRouter {
    /// Who waits for a request's end.
    enum Origin {
        /// A peer, under its own id of the request.
        case peer(HostLink, id: UInt64, session: String)
        /// A request that must not be handled twice.
        case once(OnceTable.Key)
        /// This process.
        case local(CheckedContinuation<Frame, any Error>)
    }

    /// A request that was handed on to a peer, or waits for one.
    struct Forward {
        var origin: Origin
        /// `nil` while it waits for a peer that handles it.
        var target: HostLink?
        var name: String
        /// What is sent again when its target is gone; `nil` for what is sent once.
        var kept: Frame?
    }

    /// How long a request may wait that names no deadline.
    private static let defaultTimeout = Duration.seconds(30)

    let server: BusServer
    let receiver: MessageReceiver
    /// The first responder of this process's own chain.
    private let first: Responder
    var forwards = PendingRequests<Forward>()
    /// The peers that handle each message, and those that offer each service, in the order in which they attached.
    private var handlers: [String: [HostLink]] = [:]
    private var services: [String: [HostLink]] = [:]
    private let revision: @MainActor () -> UInt64
    private(set) var isEnding = false
    /// Takes the requests that must not be handled twice.
    var once: OnceBook?
    private lazy var timer = LoopTimer { [weak self] in self?.expire() }

    init(
        server: BusServer, receiver: MessageReceiver, first: Responder, revision: @escaping @MainActor () -> UInt64
    ) {
        self.server = server
        self.receiver = receiver
        self.first = first
        self.revision = revision
    }

    /// The host ends: ends what is on its way, and takes no new requests. Those that may be sent again are not answered: their
    /// senders ask the next host.
    func stop() {
        isEnding = true
        timer.cancel()
        for forward in forwards.removeAll() where forward.kept == nil {
            if case .once = forward.origin { continue }
            fail(
                forward.origin, name: forward.name,
                MessageError(.peerLost, message: forward.name, detail: "the host ends", mayHaveBeenHandled: true))
        }
    }

    // MARK: - Up

    /// A request of a peer.
    func request(_ frame: Frame, from link: HostLink) {
        if isEnding {
            if frame.delivery != .atMostOnce { return }
            return refuse(frame, of: link, MessageError(.draining, message: frame.name, detail: "the host ends"))
        }
        guard link.inFlight < BusServer.credits else {
            return refuse(
                frame, of: link,
                MessageError(
                    .overloaded, message: frame.name, detail: "\(link.inFlight) of its requests are on their way"))
        }
        let now = ContinuousClock.now
        let deadline = frame.deadline > 0 ? server.clock.instant(of: frame.deadline) : now + Self.defaultTimeout
        link.inFlight += 1
        if frame.delivery == .once, let once {
            return once.received(frame, from: link, deadline: deadline, now: now)
        }
        carry(
            frame, from: link.id, origin: .peer(link, id: frame.id, session: frame.session), deadline: deadline,
            now: now)
    }

    /// Carries a request to the next one that handles it.
    func carry(
        _ frame: Frame, from link: UInt64, origin: Origin, deadline: ContinuousClock.Instant,
        now: ContinuousClock.Instant
    ) {
        let service = frame.isAddressed ? frame.serviceName.map(String.init) : nil
        if let target = nextHandler(of: frame, service: service, from: link) {
            return forward(frame, to: target, origin: origin, deadline: deadline)
        }
        guard let start = start(for: service) else {
            return fail(
                origin, name: frame.name,
                MessageError(
                    .unhandled, message: String(frame.messageName),
                    detail: "no peer offers the service '\(service ?? "")'"))
        }
        receiver.receive(frame, link: link, at: start, timeLeft: deadline - now) { [weak self] result in
            self?.finish(origin, name: frame.name, with: result)
        }
    }

    /// Where a message begins to climb in this process.
    /// - Returns: `nil` for a service that nobody here offers.
    private func start(for service: String?) -> Responder? {
        guard let service else { return first }
        return ServiceDirectory.shared.localResponder(for: service)
    }

    /// A post of a peer.
    func post(_ frame: Frame, from link: HostLink) {
        let service = frame.isAddressed ? frame.serviceName.map(String.init) : nil
        if let target = nextHandler(of: frame, service: service, from: link.id) {
            server.send(frame, to: target)
            return
        }
        guard let start = start(for: service) else { return UnhandledPosts.shared.count(frame.name) }
        do {
            try receiver.receive(post: frame, at: start)
        } catch let error as MessageError where error.code == .unhandled {
            UnhandledPosts.shared.count(frame.name)
        } catch {
            server.count("dropped: unreadable post")
        }
    }

    /// The next peer that handles the message: the first that declared it, or the one above the peer that passes it on.
    private func nextHandler(of frame: Frame, service: String?, from link: UInt64) -> HostLink? {
        if let service { return services[service]?.first { $0.id != link } }
        guard let candidates = handlers[frame.name] else { return nil }
        guard frame.flags.contains(.passedOn) else { return candidates.first { $0.id != link } }
        return candidates.first { $0.id > link }
    }

    private func forward(_ frame: Frame, to target: HostLink, origin: Origin, deadline: ContinuousClock.Instant) {
        let name = frame.name
        guard target.pending < target.credits else {
            return fail(
                origin, name: name,
                MessageError(
                    .overloaded, message: name, detail: "'\(target.name)' has \(target.pending) requests to answer"))
        }
        var frame = frame
        frame.deadline = server.clock.microseconds(at: deadline)
        frame.id = forwards.add(
            Forward(
                origin: origin, target: target, name: name, kept: frame.delivery == .idempotent ? frame : nil),
            deadline: deadline)
        target.pending += 1
        switch server.send(frame, to: target) {
        case .sent: break
        case .gone where frame.delivery == .idempotent:
            // It goes to the next one that handles it.
            target.pending -= 1
            forwards.update(frame.id) { $0.target = nil }
        case .gone:
            refuse(frame.id, MessageError(.peerLost, message: name, detail: "'\(target.name)' is gone"))
        case .noRoom:
            refuse(frame.id, MessageError(.overloaded, message: name, detail: "'\(target.name)' takes no more"))
        }
        arm()
    }

    /// A request could not be sent: nobody has it.
    private func refuse(_ id: UInt64, _ error: MessageError) {
        guard let forward = forwards.remove(id) else { return }
        forward.target?.pending -= 1
        fail(forward.origin, name: forward.name, error)
    }

    /// A peer no longer waits for the end of its request.
    func cancel(_ frame: Frame, from link: HostLink) {
        receiver.cancel(frame.id, link: link.id)
        let gone = forwards.removeAllWithIDs {
            if case .peer(let origin, let id, _) = $0.origin { return origin === link && id == frame.id }
            return false
        }
        for (id, forward) in gone {
            link.inFlight -= 1
            cancel(forward, id: id)
        }
        if let key = once?.key(of: frame.id, from: link) {
            for (id, forward) in forwards.removeAllWithIDs(where: { $0.isOf(key) }) {
                cancel(forward, id: id)
                fail(
                    forward.origin, name: forward.name,
                    MessageError(
                        .timeout, message: forward.name, detail: "its sender has left", mayHaveBeenHandled: true))
            }
        }
    }

    private func cancel(_ forward: Forward, id: UInt64) {
        guard let target = forward.target else { return }
        target.pending -= 1
        var frame = Frame(.cancel)
        frame.id = id
        server.send(frame, to: target)
    }

    // MARK: - Down

    /// Sends a request of the host's own to a peer.
    /// - Throws: ``MessageError``, or ``RemoteError`` of the handler.
    func send<M: ResponderRequest>(
        _ message: M, to target: HostLink, session: String = "", token: UInt64 = 0, timeout: Duration
    ) async throws -> M.Reply {
        guard !isEnding else { throw MessageError(.draining, message: M.name, detail: "the host ends") }
        var frame = Frame(.request)
        frame.name = M.name
        frame.session = session
        frame.token = token
        frame.sender = "Host"
        frame.trace = .newTrace()
        frame.payload = try CBOREncoder().encode(message)[...]
        // Such as a scene that is to go on with a state which has grown too large to carry.
        try Frame.checkSize(of: Frame.headerSize + frame.payload.count, .request, message: M.name)
        let request = frame
        let reply = try await withCheckedThrowingContinuation { continuation in
            forward(request, to: target, origin: .local(continuation), deadline: .now + timeout)
        }
        guard reply.kind == .failure else { return try reply.decodePayload(as: M.Reply.self) }
        throw try reply.decodePayload(as: Failure.self).error
    }

    // MARK: - Links

    func attached(_ link: HostLink) {
        for name in Set(link.hello.handles) { handlers[name, default: []].append(link) }
        for name in Set(link.hello.services) { services[name, default: []].append(link) }
        // What was on its way to a peer that is gone, and may be handled twice, goes to the next one that handles it.
        for id in forwards.all(where: { $0.target == nil }) {
            guard var forward = forwards.waiter(id), var frame = forward.kept, handles(frame, link) else { continue }
            forward.target = link
            frame.id = id
            forwards.update(id) { $0.target = link }
            link.pending += 1
            server.send(frame, to: link)
        }
    }

    private func handles(_ frame: Frame, _ link: HostLink) -> Bool {
        if let service = frame.serviceName { return link.hello.services.contains(String(service)) }
        return link.hello.handles.contains(frame.name)
    }

    /// A peer is gone: what it had may have been handled; what it waited for has nobody left to go to.
    func detached(_ link: HostLink, reason: String) {
        for name in link.hello.handles { Self.remove(link, of: name, from: &handlers) }
        for name in link.hello.services { Self.remove(link, of: name, from: &services) }
        for id in forwards.all(where: { $0.target === link && $0.kept != nil }) {
            forwards.update(id) { $0.target = nil }
        }
        for forward in forwards.removeAll(where: { $0.target === link }) {
            fail(
                forward.origin, name: forward.name,
                MessageError(
                    .peerLost, message: forward.name, detail: "'\(link.name)' is gone: \(reason)",
                    mayHaveBeenHandled: true))
        }
        let orphans = forwards.removeAllWithIDs {
            if case .peer(let origin, _, _) = $0.origin { return origin === link }
            return false
        }
        for (id, forward) in orphans { cancel(forward, id: id) }
    }

    private static func remove(_ link: HostLink, of name: String, from table: inout [String: [HostLink]]) {
        table[name]?.removeAll { $0 === link }
        if table[name]?.isEmpty == true { table[name] = nil }
    }

    // MARK: - Ends

    /// A reply or failure of a peer.
    func ended(_ frame: Frame, from link: HostLink) {
        guard let forward = forwards.waiter(frame.id), forward.target === link else {
            return server.count("dropped: late reply")
        }
        _ = forwards.remove(frame.id)
        link.pending -= 1
        finish(forward.origin, with: frame)
    }

    /// A request has ended in this frame, a reply or a failure.
    func finish(_ origin: Origin, with end: Frame) {
        switch origin {
        case .local(let continuation): continuation.resume(returning: end)
        case .once(let key): once?.ended(key, with: end)
        case .peer(let link, let id, let session):
            guard server.links[link.id] != nil else { return server.count("dropped: reply to a peer that is gone") }
            var frame = end
            frame.id = id
            frame.session = session
            frame.revision = revision()
            link.inFlight -= 1
            server.send(frame, to: link)
        }
    }

    /// A handler of this process has ended.
    private func finish(_ origin: Origin, name: String, with result: Result<any Encodable, any Error>) {
        do {
            let value = try result.get()
            var frame = Frame(.reply)
            frame.name = name
            guard case .peer(let link, let id, let session) = origin else {
                frame.payload = try CBOREncoder().encode(value)[...]
                try Frame.checkSize(of: Frame.headerSize + frame.payload.count, .reply, message: name)
                return finish(origin, with: frame)
            }
            guard server.links[link.id] != nil else { return server.count("dropped: reply to a peer that is gone") }
            // Encoded in place: most requests end here.
            frame.id = id
            frame.session = session
            frame.revision = revision()
            let bytes = try frame.encoded(payload: value)
            try Frame.checkSize(of: bytes.count, .reply, message: name)
            link.inFlight -= 1
            server.send(bytes, of: frame, to: link)
        } catch {
            fail(origin, name: name, error)
        }
    }

    /// A request ends without a reply.
    func fail(_ origin: Origin, name: String, _ error: any Error) {
        if case .local(let continuation) = origin { return continuation.resume(throwing: error) }
        if let error = error as? MessageError { server.count("failed: \(error.code.rawValue)") }
        finish(origin, with: .failure(error, of: name))
    }

    /// A request speaks for a session that lives elsewhere by now.
    func refuseStale(_ frame: Frame, of link: HostLink) {
        refuse(
            frame, of: link,
            MessageError(
                .unauthorized, message: frame.name, detail: "session '\(frame.session)' lives elsewhere by now"))
    }

    /// A request is not taken.
    private func refuse(_ frame: Frame, of link: HostLink, _ error: MessageError) {
        link.inFlight += 1
        fail(.peer(link, id: frame.id, session: frame.session), name: frame.name, error)
    }

    // MARK: - Deadlines

    private func expire() {
        for (id, forward) in forwards.removeExpired(at: .now) {
            cancel(forward, id: id)
            fail(
                forward.origin, name: forward.name,
                MessageError(.timeout, message: forward.name, mayHaveBeenHandled: true))
        }
        arm()
    }

    private func arm() {
        guard let next = forwards.nextDeadline else { return timer.cancel() }
        if timer.deadline.map({ next < $0 }) ?? true { timer.set(for: next) }
    }
}

extension RequestRouter.Forward {
    fileprivate func isOf(_ key: OnceTable.Key) -> Bool {
        if case .once(key) = origin { return true }
        return false
    }
}

extension Frame {
    /// The end of a request without a reply.
    static func failure(_ error: any Error, of name: String) -> Frame {
        var frame = Frame(.failure)
        frame.name = name
        // A failure's types always encode.
        if let payload = try? CBOREncoder().encode(Failure(error)) { frame.payload = payload[...] }
        return frame
    }
}
