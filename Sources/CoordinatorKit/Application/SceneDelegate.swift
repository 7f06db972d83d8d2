public import Messaging

/// Runs one scene: makes its window and its coordinator, and is told of the scene's life.
///
/// Subclass it, or use ``WindowSceneDelegate`` when one scene coordinator is all there is to make.
@MainActor
open class SceneDelegate: Responder {
    public required override init() {}

    /// The scene's window.
    open var window: Window?

    /// The scene; set before ``scene(_:willConnectTo:options:)``.
    public internal(set) weak var scene: Scene?

    /// The window, whose next responder is the scene.
    open override var coordinatingResponder: Responder? { window ?? scene }

    /// Make the window and the coordinator here.
    open func scene(_ scene: Scene, willConnectTo session: SceneSession, options: ConnectionOptions) {}

    /// The scene goes; its session stays open. Stop the coordinator here: its tasks are cancelled in its ``Coordinator/stop()``.
    open func sceneDidDisconnect(_ scene: Scene) {}

    /// The scene is about to enter the foreground: it has been connected, or comes from the background.
    open func sceneWillEnterForeground(_ scene: Scene) {}
    /// The scene is in the foreground, and takes input.
    open func sceneDidBecomeActive(_ scene: Scene) {}
    /// The scene is about to leave the foreground: the next thing may be that it stands still, or is disconnected.
    open func sceneWillResignActive(_ scene: Scene) {}
    /// The scene is in the background. When it goes or moves, its state is read after this.
    open func sceneDidEnterBackground(_ scene: Scene) {}

    /// The scene stands still, after it has entered the background: show that it is disconnected.
    open func sceneDidSuspend(_ scene: Scene) {}
    /// The scene goes on, and is in the foreground again.
    open func sceneDidResume(_ scene: Scene) {}

    /// Checks that a scene of this class can start from a state, without touching a screen.
    /// - Throws: an error that says why it cannot: the session then stays where its state can be read.
    open class func checkState(_ state: UserActivity) throws {}

    /// Show what the link asks for.
    /// - Throws: ``DeepLinkRefusal`` with the reason when this scene cannot.
    open func scene(_ scene: Scene, open link: DeepLink) throws {
        guard let coordinator = scene.session.sceneCoordinator else {
            throw DeepLinkRefusal(link, "the scene has no coordinator")
        }
        try coordinator.open(link)
    }

    /// The state that a later scene of the session starts from.
    open func stateRestorationActivity(for scene: Scene) -> UserActivity? {
        scene.session.sceneCoordinator?.stateRestorationActivity()
    }
}

/// A scene delegate that makes a window and one scene coordinator: all that most scenes need.
///
///     SceneConfiguration(name: "Clock", delegateClass: WindowSceneDelegate<ClockCoordinator>.self)
@MainActor
public final class WindowSceneDelegate<Coordinator: SceneCoordinating>: SceneDelegate {
    /// The scene's coordinator: made when the scene connects, stopped and freed when it disconnects.
    public private(set) var coordinator: Coordinator?

    public override func scene(_ scene: Scene, willConnectTo session: SceneSession, options: ConnectionOptions) {
        let window = Window()
        self.window = window
        scene.window = window
        let coordinator = Coordinator(scene: scene, sceneDelegate: self)
        self.coordinator = coordinator
        session.sceneCoordinator = coordinator
        coordinator.appDependency = session.appDependency
        window.rootViewController = coordinator.sceneRootViewController
        window.makeKeyAndVisible()
        coordinator.start(with: options.links.first, restoring: session.stateRestorationActivity)
        // A refused link is the coordinator's to show: the scene is there all the same.
        for link in options.links.dropFirst() { try? coordinator.open(link) }
    }

    public override class func checkState(_ state: UserActivity) throws {
        try Coordinator.checkState(state)
    }

    public override func sceneDidDisconnect(_ scene: Scene) {
        coordinator?.stop()
        coordinator = nil
        window = nil
    }
}
