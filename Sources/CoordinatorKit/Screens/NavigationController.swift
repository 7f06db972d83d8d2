import Messaging
import SceneContent

/// A container that shows the top of a stack of controllers, and lets the user go back.
///
/// Its coordinator is optional: a navigation controller that is a plain screen needs none.
@MainActor
open class NavigationController: ViewController {
    /// The delegate, which is notified of every change of the stack.
    public weak var delegate: (any NavigationControllerDelegate)?

    /// Whether the bar over the content is hidden. The user can go back in either case.
    public var isNavigationBarHidden = false {
        didSet { if isNavigationBarHidden != oldValue { setNeedsContentUpdate() } }
    }

    private struct Observer {
        weak var object: (any NavigationControllerObserver)?
    }

    private var observers: [Observer] = []

    public override init() {
        super.init()
        declarePassing(by: NavigationController.self)
    }

    /// Makes a navigation controller.
    /// - Parameter rootViewController: The only controller on the stack.
    public convenience init(rootViewController: ViewController) {
        self.init()
        setViewControllers([rootViewController])
    }

    // MARK: - Stack

    /// The stack, from the bottom up.
    public var viewControllers: [ViewController] {
        get { children }
        set { setViewControllers(newValue) }
    }

    /// The controller on top of the stack.
    public var topViewController: ViewController? { children.last }

    /// The controller that the user sees: the topmost one that is presented from here, else the top of the stack.
    public var visibleViewController: ViewController? {
        presentedViewController?.presentationChain.last ?? topViewController
    }

    /// Replaces the stack. Controllers that stay are notified only if they appear or disappear. A controller that is
    /// listed twice counts once.
    open func setViewControllers(_ viewControllers: [ViewController]) {
        changeStack(to: viewControllers, byUser: false)
    }

    /// Pushes a controller on the stack. Does nothing if it is already on the stack, or if it contains this controller.
    open func pushViewController(_ viewController: ViewController) {
        guard !hasChild(viewController) else { return }
        setViewControllers(children + [viewController])
    }

    /// The same as ``pushViewController(_:)``.
    open func show(_ viewController: ViewController) {
        pushViewController(viewController)
    }

    /// Replaces the top of the stack. Does nothing if the controller is already on the stack.
    open func replaceTop(with viewController: ViewController) {
        guard !hasChild(viewController) else { return }
        setViewControllers(children.dropLast() + [viewController])
    }

    /// Removes the top of the stack, but never the last controller.
    /// - Returns: The controller that was removed; `nil` if there was none to remove.
    @discardableResult
    open func popViewController() -> ViewController? {
        guard children.count > 1, let top = children.last else { return nil }
        setViewControllers(children.dropLast())
        return top
    }

    /// Removes all controllers above the given one. Does nothing if it is not on the stack.
    /// - Returns: The controllers that were removed, from the bottom up.
    @discardableResult
    open func popToViewController(_ viewController: ViewController) -> [ViewController] {
        guard let index = children.firstIndex(where: { $0 === viewController }) else { return [] }
        let removed = Array(children[(index + 1)...])
        setViewControllers(Array(children[...index]))
        return removed
    }

    /// Removes all but the bottom of the stack.
    /// - Returns: The controllers that were removed, from the bottom up.
    @discardableResult
    open func popToRootViewController() -> [ViewController] {
        guard let root = children.first else { return [] }
        return popToViewController(root)
    }

    /// Pops the top of the stack for the user. The delegate is told that the user has done it.
    public func userDidTapBack() {
        guard children.count > 1 else { return }
        changeStack(to: children.dropLast(), byUser: true)
    }

    private func changeStack(to wanted: [ViewController], byUser: Bool) {
        let byCoordinator = isChangedByCoordinator
        isChangedByCoordinator = false
        let before = children
        replaceChildren(with: wanted) {
            delegate?.navigationController(self, willShow: topViewController)
        } completion: { [weak self] removed in
            guard let self else { return }
            let added = children.filter { !before.contains($0) }
            stackDidChange(added: added, removed: removed, byUser: byUser, byCoordinator: byCoordinator)
        }
    }

    private func stackDidChange(
        added: [ViewController], removed: [ViewController], byUser: Bool, byCoordinator: Bool
    ) {
        delegate?.navigationController(self, didShow: topViewController, removed: removed, byUser: byUser)
        if !byCoordinator { stackSharers.first?.stackDidChange(added: added, removed: removed) }
        observers.removeAll { $0.object == nil }
        for observer in observers {
            observer.object?.navigationController(self, didShow: topViewController, removed: removed, byUser: byUser)
        }
    }

    /// The same as ``pushViewController(_:)``.
    open override func addChild(_ child: ViewController) {
        pushViewController(child)
    }

    override func removeChild(_ child: ViewController) {
        setViewControllers(children.filter { $0 !== child })
    }

    // MARK: - Coordinators

    private struct Sharer {
        weak var object: (any StackSharing)?
    }

    private var sharers: [Sharer] = []
    /// Whether the next change of the stack is made by a coordinator, which keeps its own list.
    private var isChangedByCoordinator = false

    /// The coordinators that share this controller as their root, in the order in which they were made.
    var stackSharers: [any StackSharing] { sharers.compactMap(\.object) }

    func addSharer(_ sharer: any StackSharing) {
        sharers.removeAll { $0.object == nil }
        sharers.append(Sharer(object: sharer))
    }

    /// Makes a change of the stack for a coordinator, which has put it into its list already.
    func changeForCoordinator(_ change: (NavigationController) -> Void) {
        isChangedByCoordinator = true
        change(self)
        isChangedByCoordinator = false
    }

    // MARK: - Observers

    /// Adds an observer, which is notified of every change of the stack after the delegate. It is not retained. An
    /// observer that is added again moves to the end of the list.
    public func addObserver(_ observer: any NavigationControllerObserver) {
        observers.removeAll { $0.object == nil || $0.object === observer }
        observers.append(Observer(object: observer))
    }

    /// Removes an observer.
    public func removeObserver(_ observer: any NavigationControllerObserver) {
        observers.removeAll { $0.object == nil || $0.object === observer }
    }

    // MARK: - Content

    private static let backAction = "back"

    /// The screen of the top controller, with the action `back` if the user can go back. If the top controller has an
    /// action of that name itself, that action is kept.
    override var ownScreen: Screen? {
        var shown = topViewController?.shownScreen ?? Screen(title ?? "")
        if let screen { shown.append(screen) }
        if offersBack(over: shown) {
            let previous = children[children.count - 2].title ?? ""
            shown.back = ActionBlock(name: Self.backAction, label: previous.isEmpty ? "Back" : previous)
        }
        return shown
    }

    /// Goes back, or has the top controller perform the action.
    open override func perform(action: String, fields: [String: String]) async throws {
        guard let top = topViewController, screen?.handles(action) != true else {
            return try await super.perform(action: action, fields: fields)
        }
        if action == Self.backAction, offersBack(over: top.shownScreen) {
            userDidTapBack()
        } else {
            try await top.perform(action: action, fields: fields)
        }
    }

    private func offersBack(over screen: Screen) -> Bool {
        children.count > 1 && !screen.lists(action: Self.backAction)
    }

    override var visibleChildren: [ViewController] { topViewController.map { [$0] } ?? [] }
    override var placesChildViews: Bool { true }
    override var tabTitle: String? { title ?? children.first?.title }
}

extension ViewController {
    /// The nearest navigation controller that contains this controller.
    public var navigationController: NavigationController? { nearestAncestor(NavigationController.self) }
}

/// A coordinator that keeps a list of its controllers on a stack that it may share with others.
@MainActor
protocol StackSharing: AnyObject {
    /// Called on the first one that shares the stack, when code other than a coordinator has changed it.
    func stackDidChange(added: [ViewController], removed: [ViewController])
}

/// The delegate of a navigation controller, which is notified of every change of the stack after the change is made.
@MainActor
public protocol NavigationControllerDelegate: AnyObject {
    /// Called when the stack has changed and its top is about to appear.
    /// - Parameter viewController: The top of the stack; `nil` if the stack is empty.
    func navigationController(
        _ navigationController: NavigationController, willShow viewController: ViewController?)

    /// Called when the stack has changed and its top is shown.
    /// - Parameters:
    ///   - viewController: The top of the stack; `nil` if the stack is empty.
    ///   - removed: The controllers that are no longer on the stack, from the bottom up.
    ///   - byUser: Whether the user, rather than the program, has changed the stack.
    func navigationController(
        _ navigationController: NavigationController, didShow viewController: ViewController?,
        removed: [ViewController], byUser: Bool)
}

extension NavigationControllerDelegate {
    /// Does nothing.
    public func navigationController(
        _ navigationController: NavigationController, willShow viewController: ViewController?
    ) {}

    /// Does nothing.
    public func navigationController(
        _ navigationController: NavigationController, didShow viewController: ViewController?,
        removed: [ViewController], byUser: Bool
    ) {}
}

/// An observer of a navigation controller's stack, in addition to the delegate.
@MainActor
public protocol NavigationControllerObserver: AnyObject {
    /// Called when the stack has changed, its top is shown and the delegate has been notified.
    /// - Parameters:
    ///   - viewController: The top of the stack; `nil` if the stack is empty.
    ///   - removed: The controllers that are no longer on the stack, from the bottom up.
    ///   - byUser: Whether the user, rather than the program, has changed the stack.
    func navigationController(
        _ navigationController: NavigationController, didShow viewController: ViewController?,
        removed: [ViewController], byUser: Bool)
}
