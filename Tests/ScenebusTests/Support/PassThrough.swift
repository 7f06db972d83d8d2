import Access
import Bus
import CBOR
import Hub
import Logging
import Messaging
import PeerLink
import ZeroMQ
import MessageHandling

/// Connects one peer to a host. To the peer it acts as the host, and to the host as the peer. It uses a hub on one side
/// and a link on the other, and does not interpret the messages.
@MainActor
final class PassThrough {
    /// The address for the peer.
    let address: String
    private let hub: Hub
    private let context = SocketContext()
    /// The host's address.
    private let host: String
    private var peer: HubLink?
    private var link: Link?
    private var container = DependencyRevisions()
    /// The peer's published entries, because the link to the host may become ready later than the peer, and more than
    /// once.
    private var provided: [String: [UInt8]?] = [:]
    /// The requests of the peers to the host, by the link and by the id, which is unique only on its link.
    private var upward: [UInt64: [UInt64: Task<Void, Never>]] = [:]
    /// The host's requests to the peer, by their ids.
    private var downward: [UInt64: Task<Void, Never>] = [:]
    /// The scenes that the peer has kept since its last link.
    private var held: [HeldScene] = []

    /// - Parameter folder: The folder for its sockets.
    init(to host: String, in folder: String) throws {
        self.host = host
        address = "ipc://\(folder)/bus"
        hub = Hub(name: "pass-through", context: context, logger: Logger(label: "pass-through"))
        hub.epoch = 1
        hub.authority = self
        hub.observer = self
        hub.container = self
        hub.upstream = self
        try hub.start(on: [HostEndpoint(bus: address, publisher: "ipc://\(folder)/pub")])
    }

    func stop() async {
        _ = await hub.sayGoodbye(within: .seconds(5))
        hub.stop()
        link?.stop()
    }

    private func openLink(for hello: Hello) {
        var configuration = LinkConfiguration(
            endpoint: host, role: hello.role, peer: hello.peer, context: context)
        configuration.software = hello.software
        configuration.handles = hello.handles
        configuration.provides = hello.provides
        configuration.services = hello.services
        configuration.scenes = hello.scenes
        configuration.capacity = hello.capacity
        let link = Link(configuration)
        link.delegate = self
        link.scenes = self
        held = hello.held ?? []
        self.link = link
        link.start()
    }

}

extension PassThrough: AdmissionAuthority {
    var rules: Admission.Rules { Admission.Rules(maximumLinks: 1, howToAllowMore: "another pass-through") }

    func registration(of hello: Hello, from identity: PeerIdentity) -> PeerRegistration? { nil }
    func access(of key: PublicKey) -> PeerAccess? { nil }
    func hides(_ entry: String) -> Bool { false }
    func wasReplaced(_ key: PublicKey) -> Bool { false }
    func refused(_ hello: Hello?, _ refusal: Refusal, from identity: PeerIdentity) {}
}

extension PassThrough: HubObserver {
    func refused(_ message: String, of link: HubLink, for user: String?, _ reason: String) {}
    func attached(_ link: HubLink) {
        peer = link
        openLink(for: link.hello)
    }

    func detached(_ link: HubLink, _ departure: Departure) {
        // The next peer may attach before the goodbye of the last one is read.
        guard link === peer else { return }
        peer = nil
        self.link?.stop()
        self.link = nil
        provided = [:]
    }

    func synchronized(_ link: HubLink) {}
    func quiet(_ links: Set<UInt64>) {}
    func heard(_ link: HubLink) {}
}

extension PassThrough: ContainerOwner {
    func snapshot(after revision: UInt64) -> DependencySnapshot { container.snapshot(after: revision) }

    func publish(_ frame: Frame, from link: HubLink) {
        guard let entries = try? DependencyPayload.decode(frame.payload).values else { return }
        provided.merge(entries) { $1 }
        self.link?.publish(entries)
    }
}

extension PassThrough: HubUpstream {
    func knows(_ request: Frame) -> Bool { true }

    func receive(
        _ request: Frame, from peer: UInt64, actor: String, timeLeft: Duration, sender: any RequestSender
    ) {
        func reply(_ end: RequestEnd) { sender.end(request.id, request.name, with: end) }
        guard let link else { return reply(.failure(MessageError(.peerLost, message: request.name))) }
        // A request that waits for the link is sent with the token that it arrived with.
        if !request.session.isEmpty { link.grant(request.session, token: request.token) }
        upward[peer, default: [:]][request.id] = Task.immediate { [self] in
            do {
                var end = Frame(.reply)
                end.id = request.id
                end.name = request.name
                end.session = request.session
                end.revision = hub.head
                end.payload = try await link.request(
                    request.encoded(), message: request.name, session: request.session,
                    delivery: request.delivery, timeout: timeLeft)
                reply(.reply(end.encoded()))
            } catch {
                reply(.failure(error))
            }
            upward[peer]?[request.id] = nil
        }
    }

    func receive(post: Frame, actor: String) { link?.post(post.encoded(), kind: .post, session: post.session) }
    func isHandling(_ id: UInt64, of peer: UInt64) -> Bool { upward[peer]?[id] != nil }
    func cancel(_ id: UInt64, of peer: UInt64) { upward[peer]?[id]?.cancel() }
    func cancelAll(of peer: UInt64, sharing sharer: String) {
        for task in (upward.removeValue(forKey: peer) ?? [:]).values { task.cancel() }
    }
}

extension PassThrough: LinkDelegate {
    func link(_ link: Link, isReady welcome: Welcome) { link.publish(provided) }

    func link(_ link: Link, changed action: DependencyReplica.Action) {
        guard case .apply(let entries) = action, let change = container.apply(entries.values, owner: "") else { return }
        hub.publish(change)
    }

    func link(_ link: Link, received request: Frame) {
        let generation = link.generation
        downward[request.id] = Task.immediate { [self] in
            do {
                guard let peer else { throw MessageError(.peerLost, message: request.name) }
                let reply = try await hub.router.send(
                    request, to: peer, timeout: link.timeLeft(of: request) ?? .seconds(10))
                downward[request.id] = nil
                link.reply(to: request, of: generation, with: CBORRaw(unchecked: Array(reply.payload)))
            } catch {
                downward[request.id] = nil
                link.fail(request, of: generation, with: error)
            }
        }
    }

    func link(_ link: Link, receivedPost post: Frame) { peer.map { _ = hub.send(post, to: $0) } }

    func link(_ link: Link, cancelled id: UInt64) { downward[id]?.cancel() }
}

extension PassThrough: SceneHolder {
    var heldScenes: [HeldScene] { held }

    func leaseExpired() {}
    func leaseRenewed() {}
}
