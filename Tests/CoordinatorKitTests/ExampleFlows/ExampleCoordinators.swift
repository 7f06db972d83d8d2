import CoordinatorKit

/// A flow that shows its modules through a router.
class FlowCoordinator: Coordinator<ViewController> {
    let router: any Router

    init(router: any Router) {
        self.router = router
        super.init(rootViewController: router.toPresent() ?? ViewController())
    }
}

/// A flow that ends with an item, or without one.
@MainActor protocol ItemCreationOutput: AnyObject {
    var finishCreation: ((Item?) -> Void)? { get set }
}

/// A flow that can end because the user logged out; its owner is notified.
typealias EndingFlow = Coordinating & FlowOutput

/// Makes the flows. Tests replace it by a factory whose flows they control.
@MainActor protocol CoordinatorFactory {
    func makeOnboarding(router: any Router) -> any EndingFlow
    func makeAuth(router: any Router) -> any EndingFlow
    func makeTabs() -> (flow: any EndingFlow, module: any Presentable)
    func makeItems(in navigation: NavigationController) -> any Coordinating
    func makeSettings(in navigation: NavigationController) -> any EndingFlow
    func makeItemCreation() -> (flow: any Coordinating & ItemCreationOutput, module: any Presentable)
}

struct FlowFactory: CoordinatorFactory {
    let modules: any ModuleFactory

    func makeOnboarding(router: any Router) -> any EndingFlow {
        OnboardingCoordinator(router: router, modules: modules)
    }
    func makeAuth(router: any Router) -> any EndingFlow { AuthCoordinator(router: router, modules: modules) }

    func makeTabs() -> (flow: any EndingFlow, module: any Presentable) {
        let tabs = modules.makeTabs()
        return (TabCoordinator(tabs: tabs, flows: self), tabs)
    }

    func makeItems(in navigation: NavigationController) -> any Coordinating {
        ItemCoordinator(router: NavigationRouter(rootController: navigation), modules: modules, flows: self)
    }

    func makeSettings(in navigation: NavigationController) -> any EndingFlow {
        SettingsCoordinator(router: NavigationRouter(rootController: navigation), modules: modules)
    }

    func makeItemCreation() -> (flow: any Coordinating & ItemCreationOutput, module: any Presentable) {
        let router = NavigationRouter(rootController: NavigationController())
        return (ItemCreationCoordinator(router: router, modules: modules), router)
    }
}

final class OnboardingCoordinator: FlowCoordinator, FlowOutput {
    var finishFlow: (() -> Void)?
    private let modules: any ModuleFactory

    init(router: any Router, modules: any ModuleFactory) {
        self.modules = modules
        super.init(router: router)
    }

    override func start() {
        let onboarding = modules.makeOnboarding()
        onboarding.onFinish = { [weak self] in self?.finishFlow?() }
        router.setRootModule(onboarding)
    }
}

final class AuthCoordinator: FlowCoordinator, FlowOutput {
    var finishFlow: (() -> Void)?
    private let modules: any ModuleFactory
    /// Called whenever the user returns from the sign up, in any way.
    private(set) var abandonedSignUps = 0

    init(router: any Router, modules: any ModuleFactory) {
        self.modules = modules
        super.init(router: router)
    }

    override func start() {
        let login = modules.makeLogin()
        login.onLogin = { [weak self] in self?.finishFlow?() }
        login.onSignUp = { [weak self] in self?.showSignUp() }
        router.setRootModule(login)
    }

    private func showSignUp() {
        let signUp = modules.makeSignUp()
        signUp.onSignedUp = { [weak self] in self?.finishFlow?() }
        signUp.onTerms = { [weak self, weak signUp] in
            guard let signUp else { return }
            self?.showTerms(of: signUp)
        }
        router.push(signUp) { [weak self] in self?.abandonedSignUps += 1 }
    }

    private func showTerms(of signUp: any SignUpModule) {
        let terms = modules.makeTerms()
        terms.hasAgreed = signUp.hasAgreed
        terms.onChange = { [weak signUp] in signUp?.hasAgreed = $0 }
        router.push(terms)
    }
}

final class TabCoordinator: Coordinator<ViewController>, FlowOutput {
    var finishFlow: (() -> Void)?
    private let tabs: any TabModule
    private let flows: any CoordinatorFactory

    init(tabs: any TabModule, flows: any CoordinatorFactory) {
        self.tabs = tabs
        self.flows = flows
        super.init(rootViewController: tabs.toPresent() ?? ViewController())
    }

    override func start() {
        tabs.onItems = { [weak self] navigation in
            guard let self, navigation.viewControllers.isEmpty else { return }
            startChild(flows.makeItems(in: navigation))
        }
        tabs.onSettings = { [weak self] navigation in
            guard let self, navigation.viewControllers.isEmpty else { return }
            let settings = flows.makeSettings(in: navigation)
            settings.finishFlow = { [weak self] in self?.finishFlow?() }
            startChild(settings)
        }
        tabs.begin()
    }
}

final class ItemCoordinator: FlowCoordinator {
    private let modules: any ModuleFactory
    private let flows: any CoordinatorFactory

    init(router: any Router, modules: any ModuleFactory, flows: any CoordinatorFactory) {
        self.modules = modules
        self.flows = flows
        super.init(router: router)
    }

    override func start() {
        let list = modules.makeItemList()
        list.onSelect = { [weak self] in self?.showDetail(of: $0) }
        list.onCreate = { [weak self] in self?.runCreation() }
        router.setRootModule(list)
    }

    func showDetail(of item: Item) {
        router.push(modules.makeItemDetail(item))
    }

    private func runCreation() {
        let (creation, module) = flows.makeItemCreation()
        creation.finishCreation = { [weak self, weak creation] item in
            guard let self, let creation else { return }
            router.dismissModule()
            stopChild(creation)
            if let item { showDetail(of: item) }
        }
        router.present(module)
        startChild(creation)
    }
}

final class ItemCreationCoordinator: FlowCoordinator, ItemCreationOutput {
    var finishCreation: ((Item?) -> Void)?
    private let modules: any ModuleFactory

    init(router: any Router, modules: any ModuleFactory) {
        self.modules = modules
        super.init(router: router)
    }

    override func start() {
        let creation = modules.makeItemCreation()
        creation.onCreate = { [weak self] in self?.finishCreation?($0) }
        creation.onHide = { [weak self] in self?.finishCreation?(nil) }
        router.setRootModule(creation)
    }
}

final class SettingsCoordinator: FlowCoordinator, FlowOutput {
    var finishFlow: (() -> Void)?
    private let modules: any ModuleFactory

    init(router: any Router, modules: any ModuleFactory) {
        self.modules = modules
        super.init(router: router)
    }

    override func start() {
        let settings = modules.makeSettings()
        settings.onLogOut = { [weak self] in self?.finishFlow?() }
        router.setRootModule(settings)
    }
}
