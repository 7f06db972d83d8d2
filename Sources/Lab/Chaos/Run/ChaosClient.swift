import Messaging
import Bus
import CBOR
import ChaosHistory
import CoordinatorKit
import Glibc
import PeerLink
import ZeroMQ

/// An operator's link, with a copy of the container.
@MainActor
final class ChaosClient: LinkDelegate {
    let log: ChaosLog
    let recorder: RequestRecorder
    private let link: Link
    private let responder: LinkResponder
    private let watch: EntryWatch
    private(set) var container = AppDependency()
    /// The key of the layer that a watched scene shows, without which nothing can be typed. All scenes show the same page, so it is
    /// that of all.
    var layer: String?

    init(_ host: HostReference, log: ChaosLog) {
        self.log = log
        recorder = RequestRecorder(log: log)
        watch = EntryWatch(log)
        link = Link(
            LinkConfiguration(host, role: .operator, peer: "\(log.process)-\(getpid())", context: SocketContext()))
        responder = LinkResponder(link)
        link.delegate = self
    }

    func start() { link.start() }
    func stop() { link.stop() }

    var chain: ResponderChain { (responder as Responder).chain }
    var isQuiet: Bool { container.chaosIsQuiet == true }

    func knownKeys(_ link: Link) -> Set<String> { Set(container.keys) }

    func link(_ link: Link, changed action: DependencyReplica.Action) {
        switch action {
        case .apply(let entries):
            for (key, value) in entries { container.setEncoded(value.map { Array($0) }, of: key) }
        case .synchronize: return
        }
        watch.look(at: container)
    }

    /// Sends a control request to the host.
    func control<Reply>(
        within limit: Duration = .seconds(3), _ body: @MainActor (ResponderChain) async throws -> Reply
    ) async -> Reply? {
        let chain = chain.within(limit)
        return await recorder.send(.control, within: limit) { _ in try await body(chain) }
    }

    /// Opens a session and records it.
    func openSession() async -> String? {
        let status = await control {
            try await $0.hostOpenSession(
                configuration: "Chaos", role: SceneSession.Role.windowApplication.rawValue, link: nil, session: nil)
        }
        guard let status else { return nil }
        log.write(.opened(session: status.session))
        return status.session
    }

    /// Requests what the screen of a session's next scene would start with: what its page keeps.
    func kept(in session: String) async -> [String: String]? {
        guard let stored = await control({ try await $0.hostSessionState(session: session) }),
            let activity = try? stored?.decode(as: UserActivity.self),
            let state = try? SceneRestorationState<ChaosPage>(activity)
        else { return nil }
        return state.screens.first?.kept
    }

    /// Requests the placements of the sessions from the host and records them.
    func look() async -> [String: Placement]? {
        guard let sessions = await control({ try await $0.hostSessions() }) else { return nil }
        let placements = Dictionary(
            sessions.map {
                ($0.session, Placement(worker: $0.worker, token: $0.token, isRunning: $0.state == .running))
            }, uniquingKeysWith: { $1 })
        log.write(.looked(placements: placements))
        return placements
    }
}
