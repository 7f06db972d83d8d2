import ChaosHistory
import CoordinatorKit
import Glibc
import LabClock

enum ChaosPage: Page { case counter }

/// A scene that counts its inputs, keeps the count and what is typed into its fields in its state, and sends requests.
@MainActor
final class ChaosSceneDelegate: SceneDelegate {
    private var coordinator: ChaosCoordinator?
    /// Set before the first scene is created, because scene delegates are created from their class without arguments.
    static var log: ChaosLog?

    override func scene(_ scene: Scene, willConnectTo session: SceneSession, options: ConnectionOptions) {
        let window = Window()
        self.window = window
        scene.window = window
        let coordinator = ChaosCoordinator(scene: scene, sceneDelegate: self)
        self.coordinator = coordinator
        coordinator.appDependency = session.appDependency
        window.rootViewController = coordinator.sceneRootViewController
        window.makeKeyAndVisible()
        coordinator.start(with: options.links.first, restoring: session.stateRestorationActivity)
        guard let log = Self.log else { return }
        coordinator.begin(log, session: session.persistentIdentifier)
    }

    override func sceneDidSuspend(_ scene: Scene) { coordinator?.end(reason: "suspended") }

    override func sceneDidResume(_ scene: Scene) {
        if let log = Self.log { coordinator?.begin(log, session: scene.session.persistentIdentifier) }
    }

    override func sceneDidDisconnect(_ scene: Scene) {
        coordinator?.end(reason: "disconnected")
        coordinator?.stop()
        coordinator = nil
        window = nil
    }
}

final class ChaosCoordinator: SceneCoordinator<ChaosPage> {
    private var log: ChaosLog?
    private var session = ""
    private var traffic: Task<Void, Never>?
    private var screen: ChaosScreen? { rootViewController.topViewController as? ChaosScreen }

    override var initialPage: ChaosPage? { .counter }

    override func displayPage(_ page: ChaosPage) {
        let screen = ChaosScreen()
        screen.page = page
        root(screen)
    }

    override func dependenciesDidChange() {
        screen?.container = appDependency
    }

    /// Called when the scene may act.
    func begin(_ log: ChaosLog, session: String) {
        self.log = log
        self.session = session
        screen?.container = appDependency
        screen?.onInput = { log.write(.input(id: $0, session: session, count: $1)) }
        screen?.onTyped = { field, number in
            log.write(.applied(id: RequestRecorder.id(ofTyped: number, in: field, of: session)))
        }
        log.write(
            .active(
                session: session, token: MessageContext.current?.remote?.token ?? 0, count: screen?.count ?? 0,
                typed: screen.map { ChaosScreen.typed(in: $0.restorationState) } ?? [:]))
        let recorder = RequestRecorder(log: log)
        let work: @MainActor @Sendable () async -> Void = { [weak self] in
            while !Task.isCancelled {
                // A random delay, so that the scenes do not send at the same moment.
                try? await Task.sleep(for: .milliseconds(Int.random(in: 200...1600)))
                guard let self, !Task.isCancelled else { return }
                guard appDependency?.chaosIsQuiet != true else { continue }
                await recorder.sendAny(chain, session: session) { [weak self] in self?.appDependency }
            }
        }
        traffic = Task(operation: work)
    }

    /// Called when the scene must stop acting.
    func end(reason: String) {
        guard let traffic else { return }
        traffic.cancel()
        self.traffic = nil
        log?.write(.inactive(session: session, reason: reason))
    }
}

final class ChaosScreen: ViewController {
    var onInput: ((_ id: String, _ count: Int) -> Void)?
    /// Called before a number is stored that somebody has typed.
    var onTyped: ((_ field: String, _ number: Int) -> Void)?
    var container: AppDependency? {
        didSet { setNeedsContentUpdate() }
    }

    /// Tells this screen from those of the session's other scenes.
    private let identity = "\(getpid())-\(MonotonicTime.nanoseconds)"

    var count: Int { Self.count(in: restorationState) }

    override var screen: Screen? {
        Screen("Chaos") {
            // The order in which `ShownPicture` reads them.
            Text("\(count)")
            Text(identity)
            for entry in WatchedEntry.allCases {
                Text("\(entry.rawValue) \(entry.value(in: container)?.description ?? "-")")
            }
            for name in Self.clientNames { Field(name, field(name)) }
            Action("Count", name: Self.input) { [self] fields in take(fields["id"]) }
            Action("Crash", name: Self.crash) {
                // The fault maker asks for it, in a session of its own. It comes without the seconds that Swift's runtime takes
                // to print a backtrace.
                signal(ProcessPlace.crashOfScene, SIG_DFL)
                raise(ProcessPlace.crashOfScene)
            }
        }
    }

    private func field(_ name: String) -> FieldBinding<Int> {
        FieldBinding(
            name: name, get: { [self] in kept(name, or: 0) },
            set: { [self] number in
                onTyped?(name, number)
                keep(name, number, or: 0)
            })
    }

    private func take(_ id: String) {
        restorationState[Self.countKey] = "\(count + 1)"
        onInput?(id, count)
    }
}

/// What a scene's state has, and the names of its actions.
extension ChaosScreen {
    private static let countKey = "count"
    /// The names of the clients, each of which types into a field of this name.
    static let clientNames = ["client-1", "client-2"]
    static let input = "input"
    /// The action that crashes the worker. It is none that also succeeds: what a scene has done without a crash is not held
    /// against it.
    static let crash = "crash"

    /// The count in a state.
    static func count(in state: [String: String]) -> Int { state[countKey].flatMap { Int($0) } ?? 0 }

    /// The numbers of the fields in a state.
    static func typed(in state: [String: String]) -> [String: Int] {
        Dictionary(
            uniqueKeysWithValues: clientNames.compactMap { name in
                state[name].flatMap { Int($0) }.map { (name, $0) }
            })
    }
}

/// Watches the entries for the whole process.
final class ChaosWorkerDelegate: AppDelegate {
    private let watch: EntryWatch

    init(_ log: ChaosLog) {
        watch = EntryWatch(log)
    }

    override var appDependency: AppDependency? {
        didSet { watch.look(at: appDependency) }
    }
}

extension ShownPicture {
    /// Whether the scene shows the count and the numbers of a state.
    @MainActor
    func shows(_ state: [String: String]) -> Bool {
        let numbers = ChaosScreen.typed(in: state)
        return count == ChaosScreen.count(in: state)
            && ChaosScreen.clientNames.allSatisfy { typed[$0, default: 0] == numbers[$0, default: 0] }
    }
}
