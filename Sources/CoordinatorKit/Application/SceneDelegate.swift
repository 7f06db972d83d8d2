public import Messaging

/// The object that runs a scene. It makes the scene's window and coordinator, and is notified of changes of the scene's
/// state.
///
/// Subclass it, or use ``WindowSceneDelegate`` if the scene only needs one scene coordinator.
@MainActor
open class SceneDelegate: Responder {
    public required override init() {
        super.init()
        declarePassing(by: SceneDelegate.self)
    }

    /// The scene's window. Setting it makes the scene show it.
    open var window: Window? {
        didSet { scene?.window = window }
    }

    /// The scene. It is set before ``scene(_:willConnectTo:options:)`` is called.
    public internal(set) weak var scene: Scene?

    /// The window, whose next responder is the scene.
    open override var coordinatingResponder: Responder? { window ?? scene }

    /// Called when the scene is being connected. Make the window and the coordinator here.
    open func scene(_ scene: Scene, willConnectTo session: SceneSession, options: ConnectionOptions) {}

    /// Called when the scene is disconnected. Its session stays open. Stop the coordinator here, and cancel the
    /// coordinator's tasks in its ``Coordinator/stop()``.
    open func sceneDidDisconnect(_ scene: Scene) {}

    /// Called before the scene enters the foreground, after it has been connected or from the background.
    open func sceneWillEnterForeground(_ scene: Scene) {}
    /// Called when the scene is in the foreground and takes input.
    open func sceneDidBecomeActive(_ scene: Scene) {}
    /// Called before the scene leaves the foreground. It may be suspended or disconnected next.
    open func sceneWillResignActive(_ scene: Scene) {}
    /// Called when the scene is in the background. If the scene is disconnected or moved, its state is read after this.
    open func sceneDidEnterBackground(_ scene: Scene) {}

    /// Called when the scene has been suspended, after it has entered the background. Override to show that the scene
    /// is disconnected from the host.
    open func sceneDidSuspend(_ scene: Scene) {}
    /// Called when the scene has been resumed and is in the foreground again.
    open func sceneDidResume(_ scene: Scene) {}

    /// Checks that a scene with this delegate can start from a state, without changing a screen.
    /// - Throws: An error with the reason if it cannot. The scene is then not created, and the session keeps its state
    ///   for a process that can read it.
    open class func checkState(_ state: UserActivity) throws {}

    /// Continues an activity that is opened as a link. By default the scene's coordinator opens it.
    /// - Throws: ``DeepLinkRefusal`` with the reason if this scene cannot continue the activity.
    open func scene(_ scene: Scene, continue userActivity: UserActivity) throws {
        try openInCoordinator(.activity(userActivity), of: scene)
    }

    /// Shows what a link refers to. By default ``scene(_:continue:)`` continues an activity, and the scene's coordinator
    /// opens any other link.
    /// - Throws: ``DeepLinkRefusal`` with the reason if this scene cannot open the link.
    open func scene(_ scene: Scene, open link: DeepLink) throws {
        if case .activity(let activity) = link { return try self.scene(scene, continue: activity) }
        try openInCoordinator(link, of: scene)
    }

    /// Says whether the scene opens a link that was sent to the application rather than to the scene's session, without
    /// changing a screen. By default the scene's coordinator says it.
    open func scene(_ scene: Scene, acceptanceOf link: DeepLink) -> LinkAcceptance {
        // Without a coordinator, `scene(_:open:)` accepts or refuses the link.
        (scene.session.sceneCoordinator as? any SceneCoordinating)?.acceptance(of: link) ?? .accepted
    }

    private func openInCoordinator(_ link: DeepLink, of scene: Scene) throws {
        guard let coordinator = scene.session.sceneCoordinator else {
            throw DeepLinkRefusal(
                link,
                "the scene has no coordinator: set 'session.sceneCoordinator', or override 'scene(_:open:)' in \(className)"
            )
        }
        guard let opener = coordinator as? any SceneCoordinating else {
            throw DeepLinkRefusal(
                link,
                "\(coordinator.identifier) opens no links: conform it to SceneCoordinating, or override "
                    + "'scene(_:open:)' in \(className)")
        }
        try opener.open(link)
    }

    /// The state from which a later scene of the session starts; by default that of the scene's coordinator.
    open func stateRestorationActivity(for scene: Scene) -> UserActivity? {
        (scene.session.sceneCoordinator as? any SceneCoordinating)?.stateRestorationActivity()
    }
}
