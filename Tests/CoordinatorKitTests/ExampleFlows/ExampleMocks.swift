import CoordinatorKit

/// A router that only records calls.
@MainActor
final class RouterMock: Router {
    private(set) var stack: [ViewController] = []
    private(set) var presented: ViewController?
    private(set) var isBarHidden = false
    private var completions: [ObjectIdentifier: () -> Void] = [:]

    /// Whether the stack has exactly these controllers, from the bottom.
    func shows(_ controllers: ViewController...) -> Bool { stack.elementsEqual(controllers, by: ===) }

    func toPresent() -> ViewController? { nil }
    func present(_ module: (any Presentable)?, animated: Bool) { presented = module?.toPresent() }

    func push(_ module: (any Presentable)?, animated: Bool, hideBottomBar: Bool, completion: (() -> Void)?) {
        guard let controller = module?.toPresent() else { return }
        stack.append(controller)
        completions[ObjectIdentifier(controller)] = completion
    }

    func popModule(animated: Bool) {
        guard let last = stack.popLast() else { return }
        completions.removeValue(forKey: ObjectIdentifier(last))?()
    }

    func dismissModule(animated: Bool, completion: (() -> Void)?) {
        presented = nil
        completion?()
    }

    func setRootModule(_ module: (any Presentable)?, hideBar: Bool) {
        isBarHidden = hideBar
        stack = module?.toPresent().map { [$0] } ?? []
    }

    func popToRootModule(animated: Bool) { while stack.count > 1 { popModule() } }
}

/// Screens that a test controls.
@MainActor
final class ModuleFactoryMock: ModuleFactory {
    let onboarding = OnboardingScreen("onboarding")
    let login = LoginScreen("login")
    let signUp = SignUpScreen("sign up")
    let terms = TermsScreen("terms")
    let list = ItemListScreen("list")
    let creation = ItemCreationScreen("creation")
    let settings = SettingsScreen("settings")
    let tabs = TabMock()
    private(set) var details: [Item] = []

    func makeOnboarding() -> any OnboardingModule { onboarding }
    func makeLogin() -> any LoginModule { login }
    func makeSignUp() -> any SignUpModule { signUp }
    func makeTerms() -> any TermsModule { terms }
    func makeItemList() -> any ItemListModule { list }
    func makeItemDetail(_ item: Item) -> any Presentable {
        details.append(item)
        return ExampleScreen(item.title)
    }
    func makeItemCreation() -> any ItemCreationModule { creation }
    func makeSettings() -> any SettingsModule { settings }
    func makeTabs() -> any TabModule { tabs }
}

@MainActor
final class TabMock: TabModule {
    var onItems: ((NavigationController) -> Void)?
    var onSettings: ((NavigationController) -> Void)?
    private(set) var hasBegun = false

    func toPresent() -> ViewController? { nil }
    func begin() { hasBegun = true }
}

/// A flow that does nothing but end when a test ends it.
final class FlowMock: Coordinator<ViewController>, FlowOutput, ItemCreationOutput {
    var finishFlow: (() -> Void)?
    var finishCreation: ((Item?) -> Void)?

    init() { super.init(rootViewController: ViewController()) }
}

/// Flows that a test controls.
@MainActor
final class CoordinatorFactoryMock: CoordinatorFactory {
    private(set) var made: [String] = []
    private(set) var flows: [FlowMock] = []
    let creationModule = ViewController()
    let tabModule = ViewController()

    private func make(_ name: String) -> FlowMock {
        let flow = FlowMock()
        made.append(name)
        flows.append(flow)
        return flow
    }

    func makeOnboarding(router: any Router) -> any EndingFlow { make("onboarding") }
    func makeAuth(router: any Router) -> any EndingFlow { make("auth") }
    func makeTabs() -> (flow: any EndingFlow, module: any Presentable) { (make("tabs"), tabModule) }
    func makeItems(in navigation: NavigationController) -> any Coordinating { make("items") }
    func makeSettings(in navigation: NavigationController) -> any EndingFlow { make("settings") }
    func makeItemCreation() -> (flow: any Coordinating & ItemCreationOutput, module: any Presentable) {
        (make("creation"), creationModule)
    }
}
