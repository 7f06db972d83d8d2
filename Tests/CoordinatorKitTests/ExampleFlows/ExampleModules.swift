import CoordinatorKit

// The interfaces of the example's screens. A flow knows only these, not the view controllers.

struct Item: Hashable, Sendable {
    var title: String
}

@MainActor protocol OnboardingModule: AnyObject, Presentable {
    var onFinish: (() -> Void)? { get set }
}

@MainActor protocol LoginModule: AnyObject, Presentable {
    var onLogin: (() -> Void)? { get set }
    var onSignUp: (() -> Void)? { get set }
}

@MainActor protocol SignUpModule: AnyObject, Presentable {
    var hasAgreed: Bool { get set }
    var onSignedUp: (() -> Void)? { get set }
    var onTerms: (() -> Void)? { get set }
}

@MainActor protocol TermsModule: AnyObject, Presentable {
    var hasAgreed: Bool { get set }
    var onChange: ((Bool) -> Void)? { get set }
}

@MainActor protocol ItemListModule: AnyObject, Presentable {
    var onSelect: ((Item) -> Void)? { get set }
    var onCreate: (() -> Void)? { get set }
}

@MainActor protocol ItemCreationModule: AnyObject, Presentable {
    var onCreate: ((Item) -> Void)? { get set }
    var onHide: (() -> Void)? { get set }
}

@MainActor protocol SettingsModule: AnyObject, Presentable {
    var onLogOut: (() -> Void)? { get set }
}

/// A bar of tabs, each with a navigation controller that is filled when its tab is first selected.
@MainActor protocol TabModule: AnyObject, Presentable {
    var onItems: ((NavigationController) -> Void)? { get set }
    var onSettings: ((NavigationController) -> Void)? { get set }
    /// Called for the tab that is selected at the beginning.
    func begin()
}

/// Makes the screens. Tests replace it by a factory whose screens they control.
@MainActor protocol ModuleFactory {
    func makeOnboarding() -> any OnboardingModule
    func makeLogin() -> any LoginModule
    func makeSignUp() -> any SignUpModule
    func makeTerms() -> any TermsModule
    func makeItemList() -> any ItemListModule
    func makeItemDetail(_ item: Item) -> any Presentable
    func makeItemCreation() -> any ItemCreationModule
    func makeSettings() -> any SettingsModule
    func makeTabs() -> any TabModule
}
