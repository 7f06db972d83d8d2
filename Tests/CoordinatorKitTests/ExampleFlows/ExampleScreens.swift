import CoordinatorKit

/// A screen whose actions are closures.
class ExampleScreen: ViewController {
    init(_ title: String) {
        super.init()
        self.title = title
    }

    /// The user's actions, by name.
    var actions: KeyValuePairs<String, ([String: String]) -> Void> { [:] }
    var texts: [String] { [] }

    override var content: ScreenContent {
        ScreenContent(title: title ?? "", texts: texts, actions: actions.map { ScreenContent.Action(name: $0.key) })
    }

    override func perform(action: String, fields: [String: String]) async throws {
        guard let found = actions.first(where: { $0.key == action }) else {
            return try await super.perform(action: action, fields: fields)
        }
        found.value(fields)
    }
}

final class OnboardingScreen: ExampleScreen, OnboardingModule {
    var onFinish: (() -> Void)?
    override var actions: KeyValuePairs<String, ([String: String]) -> Void> { ["finish": { _ in self.onFinish?() }] }
}

final class LoginScreen: ExampleScreen, LoginModule {
    var onLogin: (() -> Void)?
    var onSignUp: (() -> Void)?
    override var actions: KeyValuePairs<String, ([String: String]) -> Void> {
        ["login": { _ in self.onLogin?() }, "signUp": { _ in self.onSignUp?() }]
    }
}

final class SignUpScreen: ExampleScreen, SignUpModule {
    var hasAgreed = false { didSet { setNeedsContentUpdate() } }
    var onSignedUp: (() -> Void)?
    var onTerms: (() -> Void)?
    override var texts: [String] { [hasAgreed ? "agreed" : "not agreed"] }
    override var actions: KeyValuePairs<String, ([String: String]) -> Void> {
        ["signUp": { _ in if self.hasAgreed { self.onSignedUp?() } }, "terms": { _ in self.onTerms?() }]
    }
}

final class TermsScreen: ExampleScreen, TermsModule {
    var hasAgreed = false
    var onChange: ((Bool) -> Void)?
    override var texts: [String] { [hasAgreed ? "agreed" : "not agreed"] }
    override var actions: KeyValuePairs<String, ([String: String]) -> Void> {
        [
            "toggle": { _ in
                self.hasAgreed.toggle()
                self.onChange?(self.hasAgreed)
            }
        ]
    }
}

final class ItemListScreen: ExampleScreen, ItemListModule {
    var onSelect: ((Item) -> Void)?
    var onCreate: (() -> Void)?
    override var actions: KeyValuePairs<String, ([String: String]) -> Void> {
        ["select": { self.onSelect?(Item(title: $0["title"] ?? "")) }, "create": { _ in self.onCreate?() }]
    }
}

final class ItemCreationScreen: ExampleScreen, ItemCreationModule {
    var onCreate: ((Item) -> Void)?
    var onHide: (() -> Void)?
    override var actions: KeyValuePairs<String, ([String: String]) -> Void> {
        ["save": { self.onCreate?(Item(title: $0["title"] ?? "")) }, "hide": { _ in self.onHide?() }]
    }
}

final class SettingsScreen: ExampleScreen, SettingsModule {
    var onLogOut: (() -> Void)?
    override var actions: KeyValuePairs<String, ([String: String]) -> Void> { ["logOut": { _ in self.onLogOut?() }] }
}

final class TabScreen: TabBarController, TabBarControllerDelegate, TabModule {
    var onItems: ((NavigationController) -> Void)?
    var onSettings: ((NavigationController) -> Void)?
    private let items = NavigationController()
    private let settings = NavigationController()

    override init() {
        super.init()
        viewControllers = [items, settings]
        delegate = self
    }

    func begin() { onItems?(items) }

    func tabBarController(
        _ tabBarController: TabBarController, didSelect viewController: ViewController, byUser: Bool
    ) {
        if viewController === items { onItems?(items) }
        if viewController === settings { onSettings?(settings) }
    }
}

struct ScreenFactory: ModuleFactory {
    func makeOnboarding() -> any OnboardingModule { OnboardingScreen("Welcome") }
    func makeLogin() -> any LoginModule { LoginScreen("Login") }
    func makeSignUp() -> any SignUpModule { SignUpScreen("Sign up") }
    func makeTerms() -> any TermsModule { TermsScreen("Terms") }
    func makeItemList() -> any ItemListModule { ItemListScreen("Items") }
    func makeItemDetail(_ item: Item) -> any Presentable { ExampleScreen(item.title) }
    func makeItemCreation() -> any ItemCreationModule { ItemCreationScreen("Create") }
    func makeSettings() -> any SettingsModule { SettingsScreen("Settings") }
    func makeTabs() -> any TabModule { TabScreen() }
}
