public import Messaging
import CBOR

/// The top coordinator of one scene.
@MainActor
public protocol SceneCoordinating: Coordinating, NeedsDependency {
    /// Made by the scene's delegate, which then sets the container and calls ``start(with:restoring:)``.
    init(scene: Scene, sceneDelegate: SceneDelegate)
    /// The controller that becomes the window's root.
    var sceneRootViewController: ViewController { get }
    /// Starts at what a link asks for, else at a stored state, else at the beginning.
    func start(with link: DeepLink?, restoring state: UserActivity?)
    /// Shows what a link asks for.
    /// - Throws: ``DeepLinkRefusal``.
    func open(_ link: DeepLink) throws
    /// The state to restore; `nil` when there is nothing worth keeping.
    func stateRestorationActivity() -> UserActivity?
    /// Checks that a scene can start from a state, without touching a screen.
    /// - Throws: an error that says why it cannot.
    static func checkState(_ state: UserActivity) throws
}

/// The top coordinator of a scene whose pages are the cases of one enum.
///
/// Override ``resolve(_:)`` and ``display(page:)``; the rest follows. Resolution is data, navigation is execution: a link
/// resolves to a page without touching a screen, and opening it, starting at it and restoring it are one way.
@MainActor
open class SceneCoordinator<P: Page>: NavigationCoordinator, SceneCoordinating {
    /// The scene whose coordinator this is; `nil` once it has gone.
    public private(set) weak var scene: Scene?
    /// The delegate that made this coordinator: where a message goes that nobody below handles.
    public private(set) weak var sceneDelegate: SceneDelegate?
    /// Why the last link or stored state could not be shown; for the one who opened it.
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

    /// The container. Each change is handed to the children, then ``dependenciesDidChange()`` is called.
    open var appDependency: AppDependency? {
        didSet {
            updateChildCoordinatorDependencies()
            dependenciesDidChange()
        }
    }

    /// The container has changed; the children have it already. Update what is shown here.
    open func dependenciesDidChange() {}

    /// The version of this scene's state: make it larger when an older version of your scene could not read what this one keeps.
    open class var stateVersion: Int { 1 }

    /// Brings a state of an older version up to this one; by default it is taken as it is.
    /// - Throws: an error that says why it cannot be read.
    open class func migrate(_ state: UserActivity, from version: Int) throws -> UserActivity { state }

    /// The pages that a state holds.
    /// - Returns: `nil` for an activity that is not a scene's state.
    /// - Throws: ``SceneStateUnreadable``, or what ``migrate(_:from:)`` throws.
    private static func sceneState(_ activity: UserActivity) throws -> SceneState<P>? {
        let version = SceneState<P>.version(of: activity)
        guard version <= stateVersion else { throw SceneStateUnreadable(version: version, known: stateVersion) }
        return try SceneState<P>(version < stateVersion ? migrate(activity, from: version) : activity)
    }

    /// Checks that a scene can start from a state, without touching a screen.
    /// - Throws: ``SceneStateUnreadable`` for a state of a newer version, what ``migrate(_:from:)`` throws, or an error that names what
    ///   could not be read.
    public static func checkState(_ state: UserActivity) throws { _ = try sceneState(state) }

    /// The page to start at when no link and no stored state says otherwise.
    open var initialPage: P? { nil }

    /// Finds the page that a link means, without touching a screen.
    /// - Throws: ``DeepLinkRefusal``; by default every link is refused.
    open func resolve(_ link: DeepLink) throws -> P {
        throw DeepLinkRefusal(link, "'\(scene?.session.configuration.name ?? "this scene")' has no deep links")
    }

    /// Shows a page: starts or activates the coordinator that can, or pushes a controller.
    open func display(page: P) {
        preconditionFailure("\(type(of: self)) does not override display(page:)")
    }

    /// The scene's page for a page that a child coordinator put on its controller. Override when children have pages of
    /// their own type.
    open func scenePage(for page: any Page) -> P? { page as? P }

    /// Starts at what the link asks for; when there is none, or it is refused, at the stored state; when that cannot be read, or is
    /// empty, at ``initialPage``. Why a link or a state was not shown is in ``refusal``.
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
    /// - Throws: ``DeepLinkRefusal``, which is kept in ``refusal`` too; an error of another type from ``resolve(_:)`` becomes one.
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

    private func restore(_ state: SceneState<P>) {
        for screen in state.screens {
            display(page: screen.page)
            rootViewController.topViewController?.restorationState = screen.kept
        }
    }

    /// The pages of the navigation stack, with what their screens keep.
    public var state: SceneState<P> {
        SceneState(
            screens: rootViewController.viewControllers.compactMap { controller in
                controller.page.flatMap { scenePage(for: $0) }.map {
                    SceneState.Screen(page: $0, kept: controller.restorationState)
                }
            })
    }

    /// The state as an activity, with ``stateVersion``; `nil` when a page cannot be encoded.
    public func stateRestorationActivity() -> UserActivity? {
        try? state.activity(version: Self.stateVersion)
    }
}
