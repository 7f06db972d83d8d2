import CBOR
import CoordinatorKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ApplicationTests {
    private let delegate = RecordingAppDelegate()
    private let application: Application
    private var journal: Journal { delegate.journal }

    init() {
        application = Application(
            delegate: delegate,
            configurations: [
                SceneConfiguration(name: "Recorded", delegateClass: RecordingSceneDelegate.self),
                SceneConfiguration(name: "Shop", delegateClass: WindowSceneDelegate<ShopCoordinator>.self),
                SceneConfiguration(name: "Elsewhere"),
            ])
    }

    private func shop() throws -> (SceneSession, ShopCoordinator) {
        let session = try application.requestSceneSessionActivation(configuration: "Shop")
        return (session, try #require(session.sceneCoordinator as? ShopCoordinator))
    }

    // MARK: - Life cycle

    @Test func `An application runs from launch to a discarded session in the documented order`() throws {
        #expect(delegate.application === application)
        try application.launch(options: LaunchOptions(link: .url("shop://list")))
        #expect(
            journal.take() == [
                "will finish launching, shop://list", "did finish launching", "rebuild dependencies",
            ])
        let session = try application.requestSceneSessionActivation(configuration: "Recorded")
        #expect(
            journal.take() == [
                "configuration for a session that is open, scenes: 0",
                "will connect, foregroundInactive",
                "root loaded", "root will appear", "root did appear",
                "will enter foreground, foregroundInactive",
                "did become active, foregroundActive",
            ])
        let scene = try #require(session.scene)
        #expect((scene.delegate as? RecordingSceneDelegate)?.container?.guestCount == 1)
        application.enterBackground(scene)
        application.enterBackground(scene)
        #expect(journal.take() == ["will resign active, foregroundActive", "did enter background, background"])
        try application.requestSceneSessionActivation(session)
        #expect(journal.take() == ["will enter foreground, background", "did become active, foregroundActive"])
        application.requestSceneSessionDestruction(session)
        #expect(
            journal.take() == [
                "will resign active, foregroundActive", "did enter background, background", "state, background",
                "did disconnect, background", "did discard 1, open: 0",
            ])
        #expect(scene.activationState == .unattached)
    }

    @Test func `A delegate can refuse to launch`() {
        delegate.refusesLaunch = true
        #expect(throws: ApplicationError.launchRefused(by: "RecordingAppDelegate")) { try application.launch() }
        #expect(journal.take() == ["will finish launching, no link"])
        #expect("\(ApplicationError.launchRefused(by: "D"))" == "D refused to launch the application")
    }

    // MARK: - Sessions and scenes

    @Test func `Sessions stay open whether or not they have a connected scene`() throws {
        let (first, _) = try shop()
        let (second, _) = try shop()
        #expect(first.persistentIdentifier != second.persistentIdentifier)
        #expect(first.persistentIdentifier.count == 8)
        let scene = try #require(first.scene)
        #expect(application.openSessions == [first, second])
        #expect(application.connectedScenes.map(\.session) == [first, second])
        application.disconnect(scene)
        #expect(application.openSessions == [first, second])
        #expect(application.connectedScenes.map(\.session) == [second])
        #expect(first.scene == nil)
        try application.requestSceneSessionActivation(first)
        #expect(application.openSessions == [first, second])
        #expect(application.connectedScenes.map(\.session) == [second, first])
        #expect(first.scene !== scene)
    }

    @Test func `A new session has the requested role`() throws {
        let session = try application.requestSceneSessionActivation(configuration: "Shop", role: .externalDisplay)
        #expect(session.role == .externalDisplay)
        #expect(try shop().0.role == .windowApplication)
    }

    @Test func `A disconnected scene is freed with everything it shows, and its session keeps the state`() throws {
        weak var scene: Scene?
        weak var sceneDelegate: SceneDelegate?
        weak var coordinator: ShopCoordinator?
        weak var window: Window?
        weak var screen: ViewController?
        let session: SceneSession
        do {
            let shown: ShopCoordinator
            (session, shown) = try shop()
            shown.display(page: .product(id: 4))
            (scene, coordinator, sceneDelegate) = (session.scene, shown, session.scene?.delegate)
            (window, screen) = (session.scene?.window, shown.rootViewController.topViewController)
        }
        #expect(scene != nil && sceneDelegate != nil && coordinator != nil && window != nil && screen != nil)
        if let scene { application.disconnect(scene) }
        #expect(scene == nil)
        #expect(sceneDelegate == nil)
        #expect(coordinator == nil)
        #expect(window == nil)
        #expect(screen == nil)
        #expect(session.sceneCoordinator == nil)
        let state = try SceneRestorationState<ShopPage>(try #require(session.stateRestorationActivity))
        #expect(state?.screens.map(\.page) == [.list, .product(id: 4)])

        try application.requestSceneSessionActivation(session)
        let again = try #require(session.sceneCoordinator as? ShopCoordinator)
        #expect(again.stack == ["list", "product(id: 4)"])
    }

    @Test func `A session does not retain its coordinator`() throws {
        let (session, coordinator) = try shop()
        #expect(session.sceneCoordinator === coordinator)
        do {
            let scene = try #require(session.scene)
            let other = ShopCoordinator(scene: scene, sceneDelegate: try #require(scene.delegate))
            session.sceneCoordinator = other
            #expect(session.sceneCoordinator === other)
        }
        #expect(session.sceneCoordinator == nil)
    }

    @Test func `Disconnecting a scene twice has no further effect`() throws {
        let session = try application.requestSceneSessionActivation(configuration: "Recorded")
        let scene = try #require(session.scene)
        application.disconnect(scene)
        _ = journal.take()
        application.disconnect(scene)
        #expect(journal.take() == [])
    }

    @Test func `A suspended scene is in the background until it is resumed`() throws {
        let session = try application.requestSceneSessionActivation(configuration: "Recorded")
        let scene = try #require(session.scene)
        _ = journal.take()
        application.suspend(scene)
        application.suspend(scene)
        #expect(scene.isSuspended)
        #expect(
            journal.take() == [
                "will resign active, foregroundActive", "did enter background, background", "did suspend, background",
            ])
        application.resume(scene)
        application.resume(scene)
        #expect(!scene.isSuspended)
        #expect(
            journal.take() == [
                "will enter foreground, background", "did become active, foregroundActive",
                "did resume, foregroundActive",
            ])
    }

    @Test func `Activating a connected session opens the links in its scene`() throws {
        let session = try application.requestSceneSessionActivation(configuration: "Recorded")
        let sceneDelegate = try #require(session.scene?.delegate as? RecordingSceneDelegate)
        let links = [DeepLink.url("a:"), .notification(["b": 1])]
        _ = journal.take()
        let same = try application.requestSceneSessionActivation(session, options: ConnectionOptions(links: links))
        #expect(same === session)
        #expect(sceneDelegate.opened == links)
        #expect(application.connectedScenes.count == 1)
        #expect(journal.take() == [])
        let error = #expect(throws: DeepLinkRefusal.self) {
            try application.requestSceneSessionActivation(session, options: ConnectionOptions(links: [.url("refuse:")]))
        }
        #expect(error?.description == "cannot open refuse:: not today")
    }

    @Test func `Destroying a session discards it and its scene once`() throws {
        let (session, _) = try shop()
        let (other, _) = try shop()
        application.requestSceneSessionDestruction(session)
        application.requestSceneSessionDestruction(session)
        #expect(delegate.discarded == [[session]])
        #expect(application.openSessions == [other])
        #expect(application.connectedScenes.map(\.session) == [other])
        #expect(session.scene == nil)
        let disconnected = try #require(other.scene)
        application.disconnect(disconnected)
        application.requestSceneSessionDestruction(other)
        #expect(delegate.discarded == [[session], [other]])
    }

    // MARK: - Configurations

    @Test func `The error for an unknown configuration lists the known ones`() throws {
        let error = #expect(throws: ApplicationError.self) {
            try application.requestSceneSessionActivation(configuration: "Clock")
        }
        #expect(
            error?.description == "no scene configuration is called 'Clock'; there are: Elsewhere, Recorded, Shop")
        #expect(throws: ApplicationError.unknownConfiguration(nil, known: ["Elsewhere", "Recorded", "Shop"])) {
            try application.requestSceneSessionActivation()
        }
        #expect(application.openSessions.isEmpty)
    }

    @Test func `A new session that this process cannot run is not left open`() {
        #expect(throws: ApplicationError.self) {
            try application.requestSceneSessionActivation(configuration: "Elsewhere")
        }
        #expect(application.openSessions.isEmpty)
        #expect(application.connectedScenes.isEmpty)
    }

    @Test func `The first session launches an application that has not been launched`() throws {
        #expect(delegate.appDependency == nil)
        let (_, shown) = try shop()
        #expect(shown.appDependency?.guestCount == 1)
    }

    @Test func `An application whose delegate refuses the launch opens no session`() {
        let application = Application(
            delegate: RefusingDelegate(),
            configurations: [SceneConfiguration(name: "Recorded", delegateClass: RecordingSceneDelegate.self)])
        for _ in 0..<2 {
            #expect(throws: ApplicationError.self) { try application.requestSceneSessionActivation() }
        }
        #expect(application.openSessions.isEmpty)
    }

    @Test func `The delegate chooses the configuration`() throws {
        delegate.chosen = SceneConfiguration(name: "Shop")
        let session = try application.requestSceneSessionActivation(configuration: "Recorded")
        #expect(session.configuration.name == "Shop")
        #expect(session.sceneCoordinator is ShopCoordinator)
        delegate.chosen = SceneConfiguration(name: "Mine", delegateClass: RecordingSceneDelegate.self)
        let other = try application.requestSceneSessionActivation(configuration: "Shop")
        #expect(other.configuration.name == "Mine")
        #expect(other.scene?.delegate is RecordingSceneDelegate)
    }

    // MARK: - Dependencies

    @Test func `A changed container reaches the coordinator of every open session`() throws {
        let (first, shown) = try shop()
        let (second, _) = try shop()
        for session in [first, second] {
            #expect(session.appDependency?.guestCount == 1)
            #expect((session.sceneCoordinator as? any NeedsDependency)?.appDependency?.guestCount == 1)
        }
        delegate.appDependency?.guestCount = 2
        #expect(shown.appDependency?.guestCount == 2)
        #expect((second.sceneCoordinator as? any NeedsDependency)?.appDependency?.guestCount == 2)

        (second.sceneCoordinator as? any NeedsDependency)?.appDependency = nil
        delegate.updateSceneDependencies()
        #expect((second.sceneCoordinator as? any NeedsDependency)?.appDependency?.guestCount == 2)
    }

    @Test func `A coordinator starts with the container and is notified of each change once`() throws {
        try application.launch()
        let (_, shown) = try shop()
        #expect(shown.containers == [["guestCount"]])
        delegate.appDependency?.guest = Guest(name: "Ada")
        #expect(shown.containers == [["guestCount"], ["guest", "guestCount"]])
    }

    @Test func `A session that reconnects gets the current container`() throws {
        let (session, _) = try shop()
        if let scene = session.scene { application.disconnect(scene) }
        delegate.appDependency = AppDependency { $0.guestCount = 3 }
        #expect(session.appDependency?.guestCount == 3)
        try application.requestSceneSessionActivation(session)
        #expect((session.sceneCoordinator as? any NeedsDependency)?.appDependency?.guestCount == 3)
    }

    // MARK: - What a scene shows

    @Test func `A change of a scene's content is reported until the scene disconnects`() throws {
        var changed: [String] = []
        let (session, shown) = try shop()
        application.onContentChange = { changed.append($0.session.persistentIdentifier) }
        shown.display(page: .product(id: 1))
        #expect(changed == [session.persistentIdentifier])
        let scene = try #require(session.scene)
        application.disconnect(scene)
        #expect(changed.count == 1)
    }

    @Test func `A change of what a screen keeps is reported, so that it is stored`() throws {
        var changes = 0
        let (_, shown) = try shop()
        let screen = try #require(shown.rootViewController.topViewController)
        application.onContentChange = { _ in changes += 1 }
        screen.restorationState = ["scroll": "120"]
        #expect(changes == 1)
        screen.restorationState = ["scroll": "120"]
        #expect(changes == 1)
        screen.restorationState = [:]
        #expect(changes == 2)
    }
}

private final class RefusingDelegate: AppDelegate {
    override func application(
        _ application: Application, willFinishLaunchingWithOptions options: LaunchOptions
    ) -> Bool { false }
}
