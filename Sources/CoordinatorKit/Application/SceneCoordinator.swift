public import Messaging
import CBOR

/// The top coordinator of a scene.
@MainActor
public protocol SceneCoordinating: Coordinating, NeedsDependency {
    /// Makes a coordinator. The scene's delegate calls this, sets the container, and calls ``start(with:restoring:)``.
    init(scene: Scene, sceneDelegate: SceneDelegate)
    /// The controller that becomes the window's root.
    var sceneRootViewController: ViewController { get }
    /// Starts at the page of a link, else at a stored state, else at the initial page.
    func start(with link: DeepLink?, restoring state: UserActivity?)
    /// Shows what a link refers to.
    /// - Throws: ``DeepLinkRefusal`` if the link cannot be opened.
    func open(_ link: DeepLink) throws
    /// Says whether the scene opens a link that was sent to the application rather than to the scene's session. By
    /// default it is accepted, and ``open(_:)`` may still refuse it.
    func acceptance(of link: DeepLink) -> LinkAcceptance
    /// Why the last link or stored state could not be shown; `nil` if it could.
    var refusal: DeepLinkRefusal? { get }
    /// The state from which a later scene is restored; `nil` if there is none.
    func stateRestorationActivity() -> UserActivity?
    /// Checks that a scene can start from a state, without changing a screen.
    /// - Throws: An error with the reason if it cannot.
    static func checkState(_ state: UserActivity) throws
}

extension SceneCoordinating {
    /// Accepts the link, which ``open(_:)`` may still refuse.
    public func acceptance(of link: DeepLink) -> LinkAcceptance { .accepted }

    // Not a method of the class, which has one that says what to override instead.
    /// Shows a page. The view controller that is shown then gets it as its ``ViewController/page``, unless it has one.
    public func display<P>(page: P) where Self: SceneCoordinator<P> {
        let before = self.rootViewController.screensAndTabs
        noting(page) { self.displayPage(page) }
        for controller in self.rootViewController.screensAndTabs where !before.contains(controller) {
            controller.scenePage = page
        }
    }
}

/// The top coordinator of a scene whose pages are the cases of one enum.
///
/// Override ``resolve(_:)`` and ``displayPage(_:)``. A link is first resolved to a page, without changing a screen.
/// Opening a link, starting at a link and restoring a state then all show pages with ``display(page:)``.
@MainActor
open class SceneCoordinator<P: Page>: NavigationCoordinator, SceneCoordinating {
    /// The scene of this coordinator; `nil` after the scene has been released.
    public private(set) weak var scene: Scene?
    /// The delegate that made this coordinator. It is the next responder.
    public private(set) weak var sceneDelegate: SceneDelegate?
    /// The reason why the last link or stored state could not be shown, for the code that opened it.
    public private(set) var refusal: DeepLinkRefusal?

    public required init(scene: Scene, sceneDelegate: SceneDelegate) {
        self.scene = scene
        self.sceneDelegate = sceneDelegate
        super.init(rootViewController: NavigationController())
        appDependency = scene.session.appDependency
        scene.session.sceneCoordinator = self
    }

    open override var coordinatingResponder: Responder? { sceneDelegate }

    /// The navigation controller, which becomes the window's root.
    public var sceneRootViewController: ViewController { rootViewController }

    /// The container. Each change is passed to the children, and then ``dependenciesDidChange()`` is called.
    open var appDependency: AppDependency? {
        didSet {
            updateChildCoordinatorDependencies()
            dependenciesDidChange()
        }
    }

    override var asNeedsDependency: (any NeedsDependency)? { self }

    /// Called when the container has changed and the children have received it. Override to update what is shown.
    open func dependenciesDidChange() {}

    /// The version of this scene's state. Increase it when an older version of the scene cannot read the state that
    /// this one writes.
    open class var stateVersion: Int { 1 }

    /// Migrates a state of an older version to the current one. By default the state is used unchanged.
    /// - Throws: An error with the reason if the state cannot be read.
    open class func migrate(_ state: UserActivity, from version: Int) throws -> UserActivity { state }

    /// Reads the state of an activity, and migrates it if necessary.
    /// - Returns: The state; `nil` for an activity that is not a scene's state.
    /// - Throws: ``SceneStateUnreadable`` for a newer version, the errors of ``migrate(_:from:)``, and errors of
    ///   decoding.
    private static func sceneState(_ activity: UserActivity) throws -> SceneRestorationState<P>? {
        let version = SceneRestorationState<P>.version(of: activity)
        guard version <= stateVersion else { throw SceneStateUnreadable(version: version, known: stateVersion) }
        return try SceneRestorationState<P>(version < stateVersion ? migrate(activity, from: version) : activity)
    }

    /// Checks that a scene can start from a state, without changing a screen.
    /// - Throws: ``SceneStateUnreadable`` for a state of a newer version, the errors of ``migrate(_:from:)``, or an
    ///   error that names the part that could not be read.
    public static func checkState(_ state: UserActivity) throws { _ = try sceneState(state) }

    /// The page to start at if there is no link and no stored state; `nil` for none.
    open var initialPage: P? { nil }

    /// Finds the page that a link refers to, without changing a screen.
    /// - Throws: ``DeepLinkRefusal`` if the link cannot be opened. By default every link is refused.
    open func resolve(_ link: DeepLink) throws -> P {
        throw DeepLinkRefusal(link, "'\(scene?.session.configuration.name ?? "this scene")' has no deep links")
    }

    // It throws, so that it does not satisfy a requirement `display(page:)` of another protocol; the one of the extension
    // does. It is obsolete rather than unavailable, because that is also an error without 'override'.
    /// Not available: ``displayPage(_:)`` is the method to override.
    @available(
        swift, obsoleted: 4,
        message: "override displayPage(_:) instead; display(page:) calls it, and notes the page on the screen"
    )
    open func display(page: P) throws {}

    /// Shows a page. Override to start or activate the coordinator that can show it, or to show or present a view
    /// controller. Call ``display(page:)`` rather than this method.
    open func displayPage(_ page: P) {
        preconditionFailure("\(type(of: self)) does not override displayPage(_:)")
    }

    /// The topmost view controller: the top of the stack, or of what is presented over it, or in the selected tab.
    private var shownViewController: ViewController? { rootViewController.screensAndTabs.last }

    /// The topmost view controller that shows a page: a page of the scene, or the encoded one of a child coordinator.
    private func screen(showing page: P, nested: CBORValue?) -> ViewController? {
        rootViewController.screensAndTabs.last { controller in
            guard let shown = controller.page else { return false }
            if let nested { return (try? CBORValue(encoding: shown)) == nested }
            return scenePage(for: shown) == page
        }
    }

    /// Returns the scene's page for the page of a child coordinator's controller; by default the page itself if it is one
    /// of the scene. Without a page of the scene, the state has the child's page together with the scene's page below
    /// it. Override this if a page of the child alone is enough to find it.
    open func scenePage(for page: any Page) -> P? { page as? P }

    /// Starts at the page of a link. If there is no link, or it is refused, starts at the stored state. If that is
    /// missing, empty or unreadable, starts at ``initialPage``. ``refusal`` is the reason why a link or a state was not
    /// shown.
    public func start(with link: DeepLink?, restoring state: UserActivity?) {
        willStart()
        start()
        refusal = nil
        if let link, (try? open(link)) != nil { return }
        if let state {
            do {
                if let stored = try Self.sceneState(state), !stored.screens.isEmpty {
                    restore(stored)
                    return
                }
            } catch {
                let reason = String(explaining: error)
                refusal = DeepLinkRefusal(.activity(state), "the stored state cannot be read: \(reason)")
            }
        }
        if let initialPage { display(page: initialPage) }
    }

    /// Shows the page that a link resolves to, or all pages of a scene's state.
    /// - Throws: ``DeepLinkRefusal``, which is also stored in ``refusal``. Other errors of ``resolve(_:)`` are
    ///   converted to it.
    public func open(_ link: DeepLink) throws {
        do {
            if case .activity(let activity) = link, let state = try Self.sceneState(activity) {
                restore(state)
            } else {
                display(page: try resolve(link))
            }
        } catch let error as DeepLinkRefusal {
            refusal = error
            throw error
        } catch {
            let refused = DeepLinkRefusal(link, String(explaining: error))
            refusal = refused
            throw refused
        }
    }

    /// Says whether the scene opens a link that was sent to the application. A link that ``resolve(_:)`` refuses is
    /// declined; for any other, ``acceptance(of:)-(P)`` says it.
    open func acceptance(of link: DeepLink) -> LinkAcceptance {
        do {
            if case .activity(let activity) = link, try Self.sceneState(activity) != nil { return .accepted }
            return acceptance(of: try resolve(link))
        } catch {
            return .declined(String(explaining: error))
        }
    }

    /// Says whether the scene shows a page for a link that was sent to the application. By default it prefers the page
    /// that it shows already, and accepts any other.
    ///
    /// Override it in a scene that belongs to one thing, such as the sign at a door, and decline the pages of others.
    open func acceptance(of page: P) -> LinkAcceptance { page == shownPage ? .preferred : .accepted }

    /// The page of the scene that is on top; `nil` if no screen has a page.
    public var shownPage: P? { state.screens.last?.page }

    private func restore(_ state: SceneRestorationState<P>) {
        var below: P?
        for screen in state.screens {
            if let nested = screen.nested {
                showNested(nested, of: screen.page, below: below)
            } else {
                display(page: screen.page)
            }
            below = screen.page
            // A page in a tab that is selected already adds no screen. Its screen is the one that is shown.
            let shown = self.screen(showing: screen.page, nested: screen.nested) ?? note(screen)
            shown?.restorationState = screen.kept
        }
    }

    /// Notes a page on the shown view controller, if that has none because it was on the screen before the page was shown.
    /// - Returns: The view controller; `nil` if nothing was noted.
    private func note(_ screen: SceneRestorationState<P>.Screen) -> ViewController? {
        guard screen.nested == nil, let shown = shownViewController, shown.page == nil else { return nil }
        shown.page = screen.page
        shown.scenePage = screen.page
        return shown
    }

    /// Shows the page of a child coordinator that belongs to a page of the scene.
    /// - Parameter below: The page of the scene that is shown; `nil` for none.
    private func showNested(_ nested: CBORValue, of page: P, below: P?) {
        if page != below, NestedPage.with(nested, { display(page: page) }) { return }
        let child = shownViewController?.parentCoordinator as? any PageDisplaying
        guard child?.display(encoded: nested) != true else { return }
        let reason =
            "no child coordinator shows the page \(nested) below '\(page)': show a child's pages in displayPage(_:), and "
            + "call display(page:)"
        refusal = DeepLinkRefusal(.activity(UserActivity(activityType: SceneRestorationState<P>.activityType)), reason)
    }

    /// The pages of the navigation stack and of what is presented over it, with the restoration state of their screens.
    /// Of a tab bar controller, the pages in the selected tab are among them.
    public var state: SceneRestorationState<P> {
        var state = SceneRestorationState<P>(screens: [])
        var above: P?
        for controller in rootViewController.screensAndTabs {
            if let page = controller.scenePage as? P { above = page }
            guard let page = controller.page else {
                if controller.isShownWithoutPage { adviseOnPage(of: controller) }
                continue
            }
            if let scenePage = scenePage(for: page) {
                above = scenePage
                state.screens.append(SceneRestorationState.Screen(page: scenePage, kept: controller.restorationState))
            } else if let above, let nested = try? CBORValue(encoding: page) {
                state.screens.append(
                    SceneRestorationState.Screen(page: above, kept: controller.restorationState, nested: nested))
            }
        }
        return state
    }

    private func adviseOnPage(of controller: ViewController) {
        let child = controller.parentCoordinator.map { "\(type(of: $0))" } ?? "a child coordinator"
        Advice.give(
            "\(child) shows '\(controller.className)' without a page, so that the screen is not restored: conform \(child) "
                + "to PageDisplaying, and call display(page:) or set 'page' before show(_:)")
    }

    /// The state as an activity, with ``stateVersion``; `nil` if a page cannot be encoded.
    public func stateRestorationActivity() -> UserActivity? {
        try? state.activity(version: Self.stateVersion)
    }
}
