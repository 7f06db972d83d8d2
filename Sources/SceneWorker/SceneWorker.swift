import Logging
import MessageHandling
package import Messaging
package import Bus
public import CoordinatorKit
import PeerLink
package import PluginKit
public import ServiceLifecycle
package import ZeroMQ

/// A process that runs scenes, each with a scene delegate and a scene coordinator.
///
///     @main struct Clock {
///         static func main() {
///             SceneWorker.main(id: "clock", scenes: [
///                 SceneConfiguration(name: "Clock", delegateClass: WindowSceneDelegate<ClockCoordinator>.self)
///             ])
///         }
///     }
///
/// A message that no responder of a scene handles goes to the host. Every change of the host's container is passed to
/// all coordinators.
@MainActor
public final class SceneWorker: Service {
    /// The application of this process, with its delegate, sessions and scenes.
    public let application: Application
    let peer: Peer
    private let scenes: SceneResponder
    /// The shared entries that the delegate has set in vain. Each is logged once.
    private var refusedKeys: Set<String> = []

    /// Runs a scene worker as the process's main job. Never returns.
    /// - Parameters:
    ///   - id: the worker's id, as in its manifest.
    ///   - version: the worker's own version.
    ///   - capacity: the maximum number of scenes, unless the manifest or `--capacity` sets another one.
    ///   - scenes: the kinds of scenes that it can run.
    ///   - delegate: makes the worker's own application delegate.
    public nonisolated static func main(
        id: String, version: String = "1.0.0", capacity: Int = 1, scenes: [SceneConfiguration],
        delegate: @escaping @MainActor @Sendable () -> AppDelegate = { AppDelegate() }
    ) -> Never {
        PeerProcess.main(id: id) { process in
            try SceneWorker(
                process, version: version, capacity: process.capacity ?? capacity, scenes: scenes,
                delegate: delegate(), context: SocketContext())
        }
    }

    package init(
        _ process: PeerProcess, version: String, capacity: Int, scenes configurations: [SceneConfiguration],
        delegate: AppDelegate, context: SocketContext, services: ServiceDirectory = .shared
    ) throws {
        application = Application(delegate: delegate, configurations: configurations)
        var configuration = LinkConfiguration(
            process.host, role: .worker, peer: process.peer.text, context: context)
        configuration.software = version
        configuration.scenes = configurations.map(\.name)
        configuration.capacity = capacity
        let peer = Peer(
            configuration, hasParent: process.hasParent, services: services, logger: process.logger)
        self.peer = peer
        application.upstream = peer.responder
        scenes = SceneResponder(application, link: peer.link, logger: process.logger)
        peer.receiver.registry.add(SceneMessagesList.self)
        peer.first = scenes
        peer.delegate = self
        application.sessionRunner = self
        Advice.report = { [logger = process.logger] in logger.warning("\($0)") }
        application.onDependencies = { [weak self] in self?.delegateSet($0) }
        try application.launch()
    }

    /// Runs until the task is cancelled, a graceful shutdown begins, or the host that started the process dies. Then it
    /// sends its sessions' states and disconnects its scenes.
    ///
    /// ``main(id:version:capacity:scenes:delegate:)`` calls this method.
    /// - Throws: an error with the reason when the host refuses the worker permanently, when another user could listen
    ///   at the host's address, or when this process already runs a peer of this name.
    public func run() async throws {
        try await peer.run()
    }
}

extension SceneWorker {
    /// Handles a container that the worker's own delegate has set: its local entries stay, and the shared ones are the
    /// host's.
    private func delegateSet(_ container: AppDependency?) {
        guard let container else { return }
        let changed = container.changedKeys(since: peer.dependencies)
        guard !changed.isEmpty else { return }
        for key in changed where container.entry(of: key) != nil && refusedKeys.insert(key).inserted {
            peer.logger.error(
                "a worker does not publish entries; declare this one with @Entry(.local), or set it in a plugin",
                metadata: ["key": "\(key)"])
        }
        application.delegate.appDependency = peer.dependencies.withLocalEntries(of: container)
    }
}

extension SceneWorker: PeerDelegate {
    package func peer(_ peer: Peer, changed dependencies: AppDependency) {
        // The worker's own services stay.
        application.delegate.appDependency =
            application.delegate.appDependency.map { dependencies.withLocalEntries(of: $0) } ?? dependencies
    }

    package func peer(_ peer: Peer, lost loss: LinkMachine.Loss) { scenes.lost(reason: loss.description) }

    package func hostIsEnding(_ peer: Peer) { scenes.sendCheckpoints() }

    package func peerWillEnd(_ peer: Peer) {
        application.willTerminate()
        scenes.disconnectAll()
    }
}
