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
    private enum Origin {
        /// A peer, under its own id of the request.
        case peer(HostLink, id: UInt64, session: String)
        /// This process.
        case local(CheckedContinuation<Frame, any Error>)
    }

    /// A request that was handed on to a peer.
    private struct Forward {
        var origin: Origin
        var target: HostLink
        var name: String
    }

    /// How long a request may wait that names no deadline.
    private static let defaultTimeout = Duration.seconds(30)

    private let server: BusServer
    private let receiver: MessageReceiver
    /// The first responder of this process's own chain.
    private let first: Responder
    private var forwards = PendingRequests<Forward>()
    /// The peers that handle each message, and those that offer each service, in the order in which they attached.
    private var handlers: [String: [HostLink]] = [:]
    private var services: [String: [HostLink]] = [:]
    private let revision: @MainActor () -> UInt64
    private var isEnding = false
    private lazy var timer = LoopTimer { [weak self] in self?.expire() }

    init(
        server: BusServer, receiver: MessageReceiver, first: Responder, revision: @escaping @MainActor () -> UInt64
    ) {
        self.server = server
        self.receiver = receiver
        self.first = first
        self.revision = revision
    }

    /// The host ends: ends what is on its way, and takes no new requests.
    func stop() {
        isEnding = true
        timer.cancel()
        for forward in forwards.removeAll() {
            finish(forward, with: .failure(MessageError(.draining, message: forward.name, detail: "the host ends")))
        }
    }

    // MARK: - Up

    /// A request of a peer.
    func request(_ frame: Frame, from link: HostLink) {
        if isEnding {
            return fail(frame, for: link, MessageError(.draining, message: frame.name, detail: "the host ends"))
        }
        let now = ContinuousClock.now
        let deadline = frame.deadline > 0 ? server.clock.instant(of: frame.deadline) : now + Self.defaultTimeout
        let service = frame.isAddressed ? frame.serviceName.map(String.init) : nil
        if let target = nextHandler(of: frame, service: service, from: link) {
            return forward(
                frame, to: target, origin: .peer(link, id: frame.id, session: frame.session), deadline: deadline)
        }
        guard let start = start(for: service) else {
            return fail(
                frame, for: link,
                MessageError(
                    .unhandled, message: String(frame.messageName),
                    detail: "no peer offers the service '\(service ?? "")'"))
        }
        receiver.receive(frame, link: link.id, at: start, timeLeft: deadline - now) { [weak self] result in
            self?.reply(to: frame, of: link, with: result)
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
        if let target = nextHandler(of: frame, service: service, from: link) {
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
    private func nextHandler(of frame: Frame, service: String?, from link: HostLink) -> HostLink? {
        if let service { return services[service]?.first { $0 !== link } }
        guard let candidates = handlers[frame.name] else { return nil }
        guard frame.flags.contains(.passedOn) else { return candidates.first { $0 !== link } }
        return candidates.first { $0.id > link.id }
    }

    private func forward(_ frame: Frame, to target: HostLink, origin: Origin, deadline: ContinuousClock.Instant) {
        var frame = frame
        let name = frame.name
        frame.id = forwards.add(Forward(origin: origin, target: target, name: name), deadline: deadline)
        frame.deadline = server.clock.microseconds(at: deadline)
        target.pending += 1
        if !server.send(frame, to: target), let forward = forwards.remove(frame.id) {
            finish(
                forward,
                with: .failure(MessageError(.overloaded, message: name, detail: "'\(target.name)' takes no more")))
        }
        arm()
    }

    /// A peer no longer waits for the end of its request.
    func cancel(_ frame: Frame, from link: HostLink) {
        receiver.cancel(frame.id, link: link.id)
        let gone = forwards.removeAllWithIDs {
            if case .peer(let origin, let id, _) = $0.origin { return origin === link && id == frame.id }
            return false
        }
        for (id, forward) in gone { cancel(forward, id: id) }
    }

    private func cancel(_ forward: Forward, id: UInt64) {
        forward.target.pending -= 1
        var frame = Frame(.cancel)
        frame.id = id
        server.send(frame, to: forward.target)
    }

    // MARK: - Down

    /// Sends a request of the host's own to a peer.
    /// - Throws: ``MessageError``, or ``RemoteError`` of the handler.
    func send<M: ResponderRequest>(
        _ message: M, to target: HostLink, session: String = "", token: UInt64 = 0, timeout: Duration
    ) async throws -> M.Reply {
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
    }

    // MARK: - Ends

    /// A reply or failure of a peer.
    func ended(_ frame: Frame, from link: HostLink) {
        guard let forward = forwards.waiter(frame.id), forward.target === link else {
            return server.count("dropped: late reply")
        }
        _ = forwards.remove(frame.id)
        finish(forward, with: .success(frame))
    }

    /// A peer is gone: what it had may have been handled; what it waited for has nobody left to go to.
    func detached(_ link: HostLink, reason: String) {
        for name in link.hello.handles { Self.remove(link, of: name, from: &handlers) }
        for name in link.hello.services { Self.remove(link, of: name, from: &services) }
        for forward in forwards.removeAll(where: { $0.target === link }) {
            finish(
                forward,
                with: .failure(
                    MessageError(.peerLost, message: forward.name, detail: "'\(link.name)' is gone: \(reason)")))
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

    private func finish(_ forward: Forward, with result: Result<Frame, any Error>) {
        forward.target.pending -= 1
        switch forward.origin {
        case .local(let continuation):
            continuation.resume(with: result)
        case .peer(let link, let id, let session):
            switch result {
            case .success(var frame):
                frame.id = id
                frame.session = session
                frame.revision = revision()
                server.send(frame, to: link)
            case .failure(let error):
                var frame = Frame(.request)
                frame.id = id
                frame.name = forward.name
                frame.session = session
                fail(frame, for: link, error)
            }
        }
    }

    private func reply(to request: Frame, of link: HostLink, with result: Result<any Encodable, any Error>) {
        guard server.links[link.id] != nil else { return server.count("dropped: reply to a peer that is gone") }
        do {
            var frame = Frame(.reply)
            frame.id = request.id
            frame.name = request.name
            frame.session = request.session
            frame.revision = revision()
            let bytes = try frame.encoded(payload: try result.get())
            try Frame.checkSize(of: bytes.count, .reply, message: request.name)
            server.send(bytes, of: frame, to: link)
        } catch {
            fail(request, for: link, error)
        }
    }

    private func fail(_ request: Frame, for link: HostLink, _ error: any Error) {
        var frame = Frame(.failure)
        frame.id = request.id
        frame.name = request.name
        frame.session = request.session
        frame.revision = revision()
        if let error = error as? MessageError { server.count("failed: \(error.code.rawValue)") }
        // A failure's types always encode.
        guard let bytes = try? frame.encoded(payload: Failure(error)) else { return }
        server.send(bytes, of: frame, to: link)
    }

    // MARK: - Deadlines

    private func expire() {
        for (id, forward) in forwards.removeExpired(at: .now) {
            // Counted once more by `finish`.
            forward.target.pending += 1
            cancel(forward, id: id)
            finish(forward, with: .failure(MessageError(.timeout, message: forward.name)))
        }
        arm()
    }

    private func arm() {
        guard let next = forwards.nextDeadline else { return timer.cancel() }
        if timer.deadline.map({ next < $0 }) ?? true { timer.set(for: next) }
    }
}
