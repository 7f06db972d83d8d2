import BenchMessages
import Bus
import CoordinatorKit
import Glibc
import LabClock
import Logging
import PeerLink
import PluginKit
import SceneWorker
import ZeroMQ

enum BenchPage: Page { case bench }

/// A scene that begins its work when it shows its page.
final class BenchSceneCoordinator: SceneCoordinator<BenchPage> {
    /// The work of each scene. It is set before the first scene, because the coordinators are made from their class.
    static var work: @MainActor (BenchSceneCoordinator) -> Void = { _ in }
    /// Called when the coordinators of a scene have received a change of the container.
    static var onChange: @MainActor () -> Void = {}

    override var initialPage: BenchPage? { .bench }

    override func displayPage(_ page: BenchPage) {
        root(ViewController())
        Self.work(self)
    }

    override func dependenciesDidChange() { Self.onChange() }
}

/// A coordinator below a scene that reads the entry `bench`.
private final class EntryWatcher: Coordinator<ViewController>, NeedsDependency {
    /// The last change, and when it was received. It is evaluated later, so that the measurement does not delay the
    /// coordinators that follow.
    private(set) var last: (sent: UInt64, time: UInt64)?

    var appDependency: AppDependency? {
        didSet {
            guard let sent = appDependency?.bench, sent != last?.sent else { return }
            last = (sent, MonotonicTime.nanoseconds)
        }
    }
}

/// A real scene worker, whose scenes are named "Bench".
@MainActor
enum BenchScenes {
    nonisolated static let configuration = SceneConfiguration(
        name: "Bench", delegateClass: WindowSceneDelegate<BenchSceneCoordinator>.self)

    /// Runs a worker until standard input ends.
    /// - Parameter work: what each scene does.
    static func run(
        _ endpoint: String, capacity: Int, work: @escaping @MainActor (BenchSceneCoordinator) -> Void
    ) async throws {
        BenchSceneCoordinator.work = work
        let worker = try SceneWorker(
            process(endpoint, name: .init("bench-worker")), version: "1", capacity: capacity, scenes: [configuration],
            delegate: AppDelegate(), context: SocketContext())
        try await untilEndOfInput { try await worker.run() }
    }

    /// Sends requests from a scene, and prints the figures.
    static func sendRequests(
        _ endpoint: String, _ measure: @escaping @MainActor @Sendable (ResponderChain) async throws -> String
    ) async throws {
        try await run(endpoint, capacity: 1) { coordinator in
            let chain = coordinator.chain
            let send: @MainActor @Sendable () async -> Void = {
                do {
                    print(try await measure(chain))
                } catch {
                    complain("\(error)")
                    exit(1)
                }
                fflush(nil)
            }
            _ = Task(operation: send)
        }
    }

    /// Watches an entry with coordinators below the scenes, and prints how long each change took.
    static func watch(_ endpoint: String, scenes: Int, coordinators: Int, rounds: Int) async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let latencies = Latencies(receivers: coordinators, rounds: rounds, end)
        let show: @MainActor @Sendable () async -> Void = {
            for await _ in ends {
                latencies.show()
                fflush(nil)
            }
        }
        let showing = Task(operation: show)
        defer { showing.cancel() }
        var started = 0
        var watchers: [EntryWatcher] = []
        var evaluated: UInt64 = 0
        BenchSceneCoordinator.onChange = {
            // All coordinators of a scene have a change before its own work begins, and the last scene is the last.
            guard watchers.count == coordinators, let sent = watchers.last?.last?.sent, sent != evaluated,
                watchers.allSatisfy({ $0.last?.sent == sent })
            else { return }
            evaluated = sent
            for (number, watcher) in watchers.enumerated() {
                if let last = watcher.last { latencies.received(sent: last.sent, by: number, at: last.time) }
            }
        }
        try await run(endpoint, capacity: scenes) { scene in
            for _ in 0..<coordinators / scenes {
                let watcher = EntryWatcher(rootViewController: ViewController())
                scene.startChild(watcher)
                watchers.append(watcher)
            }
            started += 1
            guard started == scenes else { return }
            print("ready")
            fflush(nil)
        }
    }

    /// Runs a plugin that handles the benchmark's messages and sets its entry, until standard input ends.
    static func plugin(_ endpoint: String) async throws {
        let plugin = try Plugin(
            process(endpoint, name: .init("bench-plugin")), id: "bench", version: "1", provides: ["bench"],
            context: SocketContext())
        plugin.respond(BenchHandler(), to: BenchMessagesList.self)
        try await untilEndOfInput { try await plugin.run() }
    }

    private static func process(_ endpoint: String, name: BusName) -> PeerProcess {
        var logger = Logger(label: "scenebus-bench") {
            StreamLogHandler(label: $0, stream: StandardError.Stream(label: $0))
        }
        logger.logLevel = .error
        return PeerProcess(endpoint: endpoint, peer: name, logger: logger)
    }

    private static func untilEndOfInput(_ run: @escaping @MainActor @Sendable () async throws -> Void) async throws {
        // Not a group of tasks: to make its type, the runtime would search all conformances of the process.
        let running = Task(operation: run)
        let end: @MainActor @Sendable () async -> Void = {
            await LineInput.commands { _ in }
            running.cancel()
        }
        _ = Task(operation: end)
        try await running.value
    }
}
