import CBOR
import CoordinatorKit

/// The state from which the application chooses its first flow.
struct ExampleState {
    var hasSeenOnboarding = false
    var isLoggedIn = false
}

/// The destinations of a link into the example.
enum ExampleLink: Equatable {
    case onboarding
    case login
    case item(String)

    init(_ link: DeepLink) throws {
        guard case .notification(let info) = link, let id = info["launch_id"]?.stringValue else {
            throw DeepLinkRefusal(link, "it has no launch_id")
        }
        switch id {
        case "onboarding": self = .onboarding
        case "login": self = .login
        case "item": self = .item(info["item_id"]?.stringValue ?? "")
        default: throw DeepLinkRefusal(link, "there is no '\(id)'")
        }
    }
}

/// Runs one flow after the other: onboarding, login, tabs.
final class ExampleApplicationCoordinator: FlowCoordinator {
    private(set) var state: ExampleState
    private let flows: any CoordinatorFactory

    init(router: any Router, flows: any CoordinatorFactory, state: ExampleState = ExampleState()) {
        self.flows = flows
        self.state = state
        super.init(router: router)
    }

    override func start() {
        if !state.hasSeenOnboarding {
            runOnboarding()
        } else if !state.isLoggedIn {
            runAuth()
        } else {
            runTabs()
        }
    }

    func open(_ link: ExampleLink) {
        switch link {
        case .onboarding: replaceFlow { runOnboarding() }
        case .login: replaceFlow { runAuth() }
        case .item(let title):
            let items = childCoordinators.lazy.compactMap { $0.child(matching: ItemCoordinator.self) }.first
            items?.showDetail(of: Item(title: title))
        }
    }

    private func runOnboarding() {
        let onboarding = flows.makeOnboarding(router: router)
        run(onboarding) { [weak self] in self?.state.hasSeenOnboarding = true }
    }

    private func runAuth() {
        let auth = flows.makeAuth(router: router)
        run(auth) { [weak self] in self?.state.isLoggedIn = true }
    }

    private func runTabs() {
        let (tabs, module) = flows.makeTabs()
        router.setRootModule(module, hideBar: true)
        run(tabs) { [weak self] in self?.state.isLoggedIn = false }
    }

    private func run(_ flow: any EndingFlow, atEnd: @escaping () -> Void) {
        flow.finishFlow = { [weak self] in
            atEnd()
            self?.replaceFlow { self?.start() }
        }
        startChild(flow)
    }

    private func replaceFlow(by next: () -> Void) {
        let old = childCoordinators
        next()
        for flow in old { stopChild(flow) }
    }
}

/// The scene in which the example runs.
final class ExampleSceneDelegate: SceneDelegate {
    private(set) var coordinator: ExampleApplicationCoordinator?

    override func scene(_ scene: Scene, willConnectTo session: SceneSession, options: ConnectionOptions) {
        let window = Window()
        let navigation = NavigationController()
        self.window = window
        scene.window = window
        window.rootViewController = navigation
        window.makeKeyAndVisible()
        coordinator = ExampleApplicationCoordinator(
            router: NavigationRouter(rootController: navigation), flows: FlowFactory(modules: ScreenFactory()))
        coordinator?.start()
    }

    override func scene(_ scene: Scene, open link: DeepLink) throws {
        coordinator?.open(try ExampleLink(link))
    }

    override func sceneDidDisconnect(_ scene: Scene) {
        coordinator?.stop()
        coordinator = nil
        window = nil
    }
}
