import CoordinatorKit
import Testing

/// The calls of the application's delegate over the life of several scenes.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ApplicationLifeTests {
    private let delegate = LifeDelegate()
    private let application: Application

    init() {
        application = Application(
            delegate: delegate,
            configurations: [SceneConfiguration(name: "Page", delegateClass: LifeSceneDelegate.self)])
    }

    @Test("The application is active as long as any of its scenes is")
    func active() throws {
        let first = try application.requestSceneSessionActivation()
        #expect(delegate.calls == ["will enter foreground", "did become active"])
        let second = try application.requestSceneSessionActivation()
        #expect(delegate.calls.count == 2)
        delegate.calls = []
        application.enterBackground(try #require(first.scene))
        #expect(delegate.calls == [])
        application.enterBackground(try #require(second.scene))
        #expect(delegate.calls == ["will resign active", "did enter background"])
        try application.requestSceneSessionActivation(first)
        #expect(delegate.calls.suffix(2) == ["will enter foreground", "did become active"])
    }

    @Test("A link for the application is opened by the session that its delegate chooses, else by one that accepts it")
    func links() throws {
        let (first, second) = (
            try application.requestSceneSessionActivation(), try application.requestSceneSessionActivation()
        )
        let delegates = try [first, second].map { try #require($0.scene?.delegate as? LifeSceneDelegate) }
        try application.open(.url("page://a"))
        #expect(delegates.map(\.opened) == [[.url("page://a")], []])
        delegate.chosen = second
        try application.open(.url("page://b"))
        #expect(delegates.map(\.opened) == [[.url("page://a")], [.url("page://b")]])
        delegate.chosen = nil
        delegates[0].isRefusing = true
        try application.open(.url("page://c"))
        #expect(delegates[1].opened.last == .url("page://c"))
        delegates[1].isRefusing = true
        #expect(throws: DeepLinkRefusal.self) { try application.open(.url("page://d")) }
    }

    @Test("A chosen session without a scene is connected with the link")
    func connecting() throws {
        let session = try application.requestSceneSessionActivation()
        application.disconnect(try #require(session.scene))
        delegate.chosen = session
        try application.open(.url("page://a"))
        #expect((session.scene?.delegate as? LifeSceneDelegate)?.connectedWith == [.url("page://a")])
    }

    @Test("An activity is continued by the scene's delegate, and the coordinator opens any other link")
    func activities() throws {
        let session = try application.requestSceneSessionActivation()
        let scene = try #require(session.scene)
        let plain = ContinuingDelegate()
        let activity = UserActivity(activityType: "shop.order")
        try plain.scene(scene, open: .activity(activity))
        #expect(plain.continued == [activity])
        let refusal = try #require(throws: DeepLinkRefusal.self) { try plain.scene(scene, open: .url("page://a")) }
        #expect(refusal.reason.contains("'session.sceneCoordinator'"))
        let coordinator = NavigationCoordinator(rootViewController: NavigationController())
        session.sceneCoordinator = coordinator
        let other = try #require(throws: DeepLinkRefusal.self) { try plain.scene(scene, open: .url("page://a")) }
        #expect(other.reason.contains("conform it to SceneCoordinating"))
    }
}

private final class LifeDelegate: AppDelegate {
    var calls: [String] = []
    var chosen: SceneSession?

    override func applicationWillEnterForeground(_ application: Application) { calls.append("will enter foreground") }
    override func applicationDidBecomeActive(_ application: Application) { calls.append("did become active") }
    override func applicationWillResignActive(_ application: Application) { calls.append("will resign active") }
    override func applicationDidEnterBackground(_ application: Application) { calls.append("did enter background") }

    override func application(_ application: Application, sessionToOpen link: DeepLink) -> SceneSession? { chosen }
}

private final class LifeSceneDelegate: SceneDelegate {
    var opened: [DeepLink] = []
    var connectedWith: [DeepLink] = []
    var isRefusing = false

    override func scene(_ scene: Scene, willConnectTo session: SceneSession, options: ConnectionOptions) {
        connectedWith = options.links
    }

    override func scene(_ scene: Scene, open link: DeepLink) throws {
        if isRefusing { throw DeepLinkRefusal(link, "not here") }
        opened.append(link)
    }
}

private final class ContinuingDelegate: SceneDelegate {
    private(set) var continued: [UserActivity] = []

    override func scene(_ scene: Scene, continue userActivity: UserActivity) { continued.append(userActivity) }
}
