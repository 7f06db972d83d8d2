public import Messaging

/// A scene delegate that makes a window and one scene coordinator, which is enough for most scenes.
///
///     SceneConfiguration(name: "Clock", delegateClass: WindowSceneDelegate<ClockCoordinator>.self)
@MainActor
public final class WindowSceneDelegate<Coordinator: SceneCoordinating>: SceneDelegate {
    /// The scene's coordinator. It is made when the scene connects, and stopped and released when the scene
    /// disconnects.
    public private(set) var coordinator: Coordinator?

    public required init() {
        super.init()
        declarePassing(by: WindowSceneDelegate<Coordinator>.self)
    }

    public override func scene(_ scene: Scene, willConnectTo session: SceneSession, options: ConnectionOptions) {
        let window = Window()
        self.window = window
        let coordinator = Coordinator(scene: scene, sceneDelegate: self)
        self.coordinator = coordinator
        session.sceneCoordinator = coordinator
        // The coordinator is told of the container that it was made with.
        coordinator.appDependency = session.appDependency
        window.rootViewController = coordinator.sceneRootViewController
        window.makeKeyAndVisible()
        coordinator.start(with: options.links.first, restoring: session.stateRestorationActivity)
        // A refused link does not keep the scene from being connected. The coordinator stores the reason.
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
