import CBOR
import CoordinatorKit

/// Records the application's life cycle.
final class RecordingAppDelegate: AppDelegate {
    let journal = Journal()
    var refusesLaunch = false
    var chosen: SceneConfiguration?
    private(set) var discarded: [[SceneSession]] = []

    override func application(_ application: Application, willFinishLaunchingWithOptions options: LaunchOptions) -> Bool
    {
        journal.write("will finish launching, \(options.link?.summary ?? "no link")")
        return !refusesLaunch
    }

    override func application(_ application: Application, didFinishLaunchingWithOptions options: LaunchOptions) -> Bool
    {
        journal.write("did finish launching")
        return super.application(application, didFinishLaunchingWithOptions: options)
    }

    override func rebuildDependencies() {
        journal.write("rebuild dependencies")
        appDependency = AppDependency { $0.guestCount = 1 }
    }

    override func application(
        _ application: Application, configurationForConnecting session: SceneSession, options: ConnectionOptions
    ) -> SceneConfiguration {
        let open = application.openSessions.contains(session) ? "open" : "unknown"
        journal.write("configuration for a session that is \(open), scenes: \(application.connectedScenes.count)")
        return chosen ?? super.application(application, configurationForConnecting: session, options: options)
    }

    override func application(_ application: Application, didDiscardSceneSessions sessions: [SceneSession]) {
        journal.write("did discard \(sessions.count), open: \(application.openSessions.count)")
        discarded.append(sessions)
    }
}

/// Records a scene's life cycle, and shows one screen that records its own.
final class RecordingSceneDelegate: SceneDelegate {
    private(set) var opened: [DeepLink] = []
    private(set) var container: AppDependency?

    private func write(_ entry: String, _ scene: Scene) {
        (scene.application?.delegate as? RecordingAppDelegate)?.journal.write("\(entry), \(scene.activationState)")
    }

    override func scene(_ scene: Scene, willConnectTo session: SceneSession, options: ConnectionOptions) {
        write("will connect", scene)
        container = session.appDependency
        guard let journal = (scene.application?.delegate as? RecordingAppDelegate)?.journal else { return }
        let window = Window()
        self.window = window
        scene.window = window
        window.rootViewController = RecordingViewController("root", journal)
        window.makeKeyAndVisible()
    }

    override func sceneWillEnterForeground(_ scene: Scene) { write("will enter foreground", scene) }
    override func sceneDidBecomeActive(_ scene: Scene) { write("did become active", scene) }
    override func sceneWillResignActive(_ scene: Scene) { write("will resign active", scene) }
    override func sceneDidEnterBackground(_ scene: Scene) { write("did enter background", scene) }
    override func sceneDidSuspend(_ scene: Scene) { write("did suspend", scene) }
    override func sceneDidResume(_ scene: Scene) { write("did resume", scene) }
    override func sceneDidDisconnect(_ scene: Scene) { write("did disconnect", scene) }

    override func scene(_ scene: Scene, open link: DeepLink) throws {
        if case .url("refuse:") = link { throw DeepLinkRefusal(link, "not today") }
        opened.append(link)
    }

    override func stateRestorationActivity(for scene: Scene) -> UserActivity? {
        write("state", scene)
        return UserActivity(activityType: "recorded", userInfo: ["opened": .int(Int64(opened.count))])
    }
}
