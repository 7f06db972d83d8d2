import CBOR
import CoordinatorKit
import Testing

/// Each flow on its own, with mocks around it.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ExampleFlowTests {
    private let router = RouterMock()
    private let modules = ModuleFactoryMock()
    private let flows = CoordinatorFactoryMock()

    // MARK: - The application's flow

    @Test func `The application runs one flow after the other and frees each`() {
        let application = ExampleApplicationCoordinator(router: router, flows: flows)
        application.start()
        #expect(flows.made == ["onboarding"])
        #expect(application.childCoordinators.count == 1)
        flows.flows[0].finishFlow?()
        #expect(application.state.hasSeenOnboarding)
        #expect(flows.made == ["onboarding", "auth"])
        #expect(!flows.flows[0].isStarted)
        flows.flows[1].finishFlow?()
        #expect(application.state.isLoggedIn)
        #expect(flows.made == ["onboarding", "auth", "tabs"])
        #expect(router.shows(flows.tabModule))
        #expect(router.isBarHidden)
        flows.flows[2].finishFlow?()
        #expect(flows.made == ["onboarding", "auth", "tabs", "auth"])
        #expect(application.childCoordinators.map(ObjectIdentifier.init) == [ObjectIdentifier(flows.flows[3])])
    }

    @Test(arguments: [
        (false, false, "onboarding"), (false, true, "onboarding"), (true, false, "auth"), (true, true, "tabs"),
    ])
    func `The first flow depends on what the user has already done`(hasSeen: Bool, isLoggedIn: Bool, first: String) {
        let state = ExampleState(hasSeenOnboarding: hasSeen, isLoggedIn: isLoggedIn)
        ExampleApplicationCoordinator(router: router, flows: flows, state: state).start()
        #expect(flows.made == [first])
    }

    @Test func `A link replaces the running flow with its own`() throws {
        let application = ExampleApplicationCoordinator(router: router, flows: flows)
        application.start()
        application.open(try ExampleLink(.notification(["launch_id": "login"])))
        #expect(flows.made == ["onboarding", "auth"])
        #expect(application.childCoordinators.map(ObjectIdentifier.init) == [ObjectIdentifier(flows.flows[1])])
        #expect(throws: DeepLinkRefusal.self) { try ExampleLink(.notification(["launch_id": "attic"])) }
        #expect(throws: DeepLinkRefusal.self) { try ExampleLink(.url("example://login")) }
    }

    // MARK: - Onboarding and login

    @Test func `Onboarding shows its screen and ends once`() {
        let flow = OnboardingCoordinator(router: router, modules: modules)
        var ended = 0
        flow.finishFlow = { ended += 1 }
        flow.start()
        #expect(router.shows(modules.onboarding))
        #expect(ended == 0)
        modules.onboarding.onFinish?()
        #expect(ended == 1)
    }

    @Test func `Login leads to sign up and terms, and login or sign up ends the flow`() {
        let flow = AuthCoordinator(router: router, modules: modules)
        var ended = 0
        flow.finishFlow = { ended += 1 }
        flow.start()
        #expect(router.shows(modules.login))
        modules.login.onLogin?()
        #expect(ended == 1)
        modules.login.onSignUp?()
        #expect(router.shows(modules.login, modules.signUp))
        modules.signUp.hasAgreed = true
        modules.signUp.onTerms?()
        #expect(router.shows(modules.login, modules.signUp, modules.terms))
        #expect(modules.terms.hasAgreed)
        modules.terms.onChange?(false)
        #expect(!modules.signUp.hasAgreed)
        modules.signUp.onSignedUp?()
        #expect(ended == 2)
        router.popToRootModule()
        #expect(flow.abandonedSignUps == 1)
    }

    // MARK: - Tabs

    @Test func `A tab starts its flow when it is first selected`() {
        let flow = TabCoordinator(tabs: modules.tabs, flows: flows)
        var ended = 0
        flow.finishFlow = { ended += 1 }
        flow.start()
        #expect(modules.tabs.hasBegun)
        #expect(flows.made == [])
        let (items, settings) = (NavigationController(), NavigationController())
        modules.tabs.onItems?(items)
        modules.tabs.onSettings?(settings)
        #expect(flows.made == ["items", "settings"])
        #expect(flow.childCoordinators.count == 2)
        items.pushViewController(ViewController())
        modules.tabs.onItems?(items)
        #expect(flows.made == ["items", "settings"])
        flows.flows[1].finishFlow?()
        #expect(ended == 1)
    }

    @Test func `A selected item is shown in detail`() {
        let flow = ItemCoordinator(router: router, modules: modules, flows: flows)
        flow.start()
        #expect(router.shows(modules.list))
        modules.list.onSelect?(Item(title: "lamp"))
        #expect(modules.details == [Item(title: "lamp")])
        #expect(router.stack.map(\.title) == ["list", "lamp"])
    }

    @Test(arguments: [Item(title: "chair"), nil])
    func `Creating an item is a flow presented over the list`(created: Item?) throws {
        let flow = ItemCoordinator(router: router, modules: modules, flows: flows)
        flow.start()
        modules.list.onCreate?()
        #expect(router.presented === flows.creationModule)
        #expect(flow.childCoordinators.count == 1)
        let creation = try #require(flows.flows.first)
        creation.finishCreation?(created)
        #expect(router.presented == nil)
        #expect(flow.childCoordinators.isEmpty)
        #expect(!creation.isStarted)
        #expect(modules.details == [created].compactMap { $0 })
    }

    @Test func `Creation ends with the item or without one`() {
        let flow = ItemCreationCoordinator(router: router, modules: modules)
        var ends: [Item?] = []
        flow.finishCreation = { ends.append($0) }
        flow.start()
        #expect(router.shows(modules.creation))
        modules.creation.onCreate?(Item(title: "chair"))
        modules.creation.onHide?()
        #expect(ends == [Item(title: "chair"), nil])
    }

    @Test func `Settings end when the user logs out`() {
        let flow = SettingsCoordinator(router: router, modules: modules)
        var ended = 0
        flow.finishFlow = { ended += 1 }
        flow.start()
        #expect(router.shows(modules.settings))
        modules.settings.onLogOut?()
        #expect(ended == 1)
    }
}
