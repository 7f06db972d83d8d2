import Testing

@testable import CoordinatorKit

/// The snippets of "Recommended implementation" (radianttap/Coordinator, Implement.md), with what Linux changes: no `UI`
/// in the names, `override` where a base class has the member already, and messages declared as a protocol.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ImplementTests {
    private let delegate = Implement.AppDelegate()
    private let application: Application

    init() throws {
        application = Application(
            delegate: delegate,
            configurations: [
                SceneConfiguration(name: "Default Configuration", delegateClass: Implement.SceneDelegate.self)
            ])
        try application.launch()
    }

    private func connect() async throws -> (SceneSession, Implement.SceneCoordinator) {
        let session = try application.requestSceneSessionActivation()
        let delegate = try #require(session.scene?.delegate as? Implement.SceneDelegate)
        let coordinator = try #require(delegate.coordinator)
        while !coordinator.isStarted { await Task.yield() }
        return (session, coordinator)
    }

    @Test("AppDependency, AppDelegate: services fall to the scene's coordinator and to its children, each change once")
    func dependencies() async throws {
        let (session, coordinator) = try await connect()
        #expect(session.appDependency?.dataManager === delegate.dataManager)
        #expect(coordinator.appDependency?.webService === delegate.webService)
        let content = Implement.ContentCoordinator(rootViewController: coordinator.rootViewController)
        coordinator.startChild(coordinator: content)
        #expect(content.appDependency?.dataManager === delegate.dataManager)
        #expect(content.changes == 1)
        delegate.accountManager = Implement.AccountManager()
        // Other tests have applications of their own in this process.
        Application.shared = application
        delegate.rebuildDependencies()
        #expect(content.appDependency?.accountManager === delegate.accountManager)
        #expect(content.changes == 2)
    }

    @Test("SceneDelegate: its window is the scene's, and shows the coordinator's root")
    func window() async throws {
        let (session, coordinator) = try await connect()
        let scene = try #require(session.scene)
        #expect(scene.window?.rootViewController === coordinator.rootViewController)
        #expect(scene.window?.content.title == "login")
    }

    @Test("Declarative routing: globalDisplay(page:) switches to any screen from anywhere below a coordinator")
    func routing() async throws {
        let (_, coordinator) = try await connect()
        let screen = try #require(coordinator.rootViewController.topViewController)
        screen.chain.globalDisplay(page: .confirmAccount(code: "4711"))
        #expect(coordinator.rootViewController.topViewController?.title == "confirmAccount 4711")
    }

    @Test("coordinatingResponder: a message that no coordinator handles goes on to the scene delegate and its window")
    func chain() async throws {
        let (session, coordinator) = try await connect()
        let scene = try #require(session.scene)
        #expect(coordinator.coordinatingResponder === scene.delegate)
        #expect(scene.delegate?.coordinatingResponder === scene.window)
        #expect(
            coordinator.climbedPath.suffix(5) == ["SceneDelegate", "Window", "Scene", "Application", "AppDelegate"])
    }
}

enum Implement {
    @MainActor final class WebService {}
    @MainActor final class DataManager {}
    @MainActor final class AccountManager {}
    @MainActor final class ContentManager {}

    final class ContentCoordinator: NavigationCoordinator, NeedsDependency {
        private(set) var changes = 0
        var appDependency: AppDependency? {
            didSet {
                changes += 1
                updateChildCoordinatorDependencies()
            }
        }
    }

    final class AppDelegate: CoordinatorKit.AppDelegate {
        var webService = WebService()
        var dataManager = DataManager()
        var accountManager: AccountManager?

        override var appDependency: AppDependency? {
            didSet {
                updateSceneDependencies()
            }
        }

        override func updateSceneDependencies() {
            let application = Application.shared

            application?.openSessions.forEach {
                $0.appDependency = appDependency
            }
        }

        override func application(
            _ application: Application, didFinishLaunchingWithOptions launchOptions: LaunchOptions
        ) -> Bool {
            //  instantiate all services and middleware
            //  build and set AppDependency
            rebuildDependencies()

            return true
        }

        override func rebuildDependencies() {
            appDependency = AppDependency(
                webService: webService, dataManager: dataManager, accountManager: accountManager)
        }

        override func application(
            _ application: Application, configurationForConnecting connectingSceneSession: SceneSession,
            options: ConnectionOptions
        ) -> SceneConfiguration {

            connectingSceneSession.appDependency = appDependency
            return SceneConfiguration(name: "Default Configuration", sessionRole: connectingSceneSession.role)
        }
    }

    @MainActor
    final class SceneCoordinator: NavigationCoordinator, NeedsDependency, ImplementMessages {
        private weak var scene: Scene!
        private weak var sceneDelegate: SceneDelegate!

        var appDependency: AppDependency?

        init(
            scene: Scene,
            sceneDelegate: SceneDelegate,
            appBundleIdentifier: String? = nil
        ) {
            self.scene = scene
            self.sceneDelegate = sceneDelegate

            let vc = NavigationController()
            super.init(rootViewController: vc)

            appDependency = scene.session.appDependency
            scene.session.sceneCoordinator = self
        }

        override var coordinatingResponder: Responder? {
            return sceneDelegate
        }

        override func start() {
            super.start()
            globalDisplay(page: .login)
        }

        func globalDisplay(page: Page) {
            let screen = ViewController()
            switch page {
            case .login: screen.title = "login"
            case .createAccount: screen.title = "createAccount"
            case .confirmAccount(let code): screen.title = "confirmAccount \(code ?? "")"
            case .profile(let user): screen.title = user.name
            }
            show(screen)
        }
    }

    final class SceneDelegate: CoordinatorKit.SceneDelegate {
        private(set) var coordinator: SceneCoordinator?

        override func scene(
            _ scene: Scene, willConnectTo session: SceneSession, options connectionOptions: ConnectionOptions
        ) {
            let window = Window(windowScene: scene)
            self.window = window

            let sceneCoordinator = SceneCoordinator(scene: scene, sceneDelegate: self)
            self.coordinator = sceneCoordinator

            window.rootViewController = sceneCoordinator.rootViewController

            window.makeKeyAndVisible()
            Task {
                sceneCoordinator.start()
            }
        }

        override var coordinatingResponder: Responder? {
            window
        }
    }

    struct User: Codable, Sendable {
        var name: String
    }

    enum Page: Codable, Sendable {
        case login
        case createAccount
        case confirmAccount(code: String?)
        case profile(user: User)
    }
}

@ResponderMessages
protocol ImplementMessages {
    func globalDisplay(page: Implement.Page)
}

extension ResponderChain: ImplementMessages {}

extension AppDependency {
    @Entry(.local) var webService: Implement.WebService?
    @Entry(.local) var dataManager: Implement.DataManager?
    @Entry(.local) var accountManager: Implement.AccountManager?
    @Entry(.local) var contentManager: Implement.ContentManager?

    //  Init

    init(
        webService: Implement.WebService? = nil,
        dataManager: Implement.DataManager? = nil,
        accountManager: Implement.AccountManager? = nil,
        contentManager: Implement.ContentManager? = nil
    ) {
        self.init()
        self.webService = webService
        self.dataManager = dataManager
        self.accountManager = accountManager
        self.contentManager = contentManager
    }
}
