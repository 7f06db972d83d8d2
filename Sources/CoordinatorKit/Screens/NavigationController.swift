public import Messaging

/// A container that shows the last one of a stack of controllers, and lets the user go back.
///
/// It has no coordinator of its own unless it is given one: as a plain screen it needs none.
@MainActor
open class NavigationController: ViewController {
    /// Is told of every change of the stack.
    public weak var delegate: (any NavigationControllerDelegate)?

    /// Whether the bar over the content is left out. The user can go back either way.
    public var isNavigationBarHidden = false {
        didSet { if isNavigationBarHidden != oldValue { setNeedsContentUpdate() } }
    }

    private struct Observer {
        weak var object: (any NavigationControllerObserver)?
    }

    private var observers: [Observer] = []

    public override init() {
        super.init()
    }

    /// - Parameter rootViewController: the only controller on the stack.
    public convenience init(rootViewController: ViewController) {
        self.init()
        setViewControllers([rootViewController])
    }

    // MARK: - Stack

    /// The stack, bottom first.
    public var viewControllers: [ViewController] {
        get { children }
        set { setViewControllers(newValue) }
    }

    /// The controller on top of the stack.
    public var topViewController: ViewController? { children.last }

    /// What the user sees: the topmost controller that is presented from here, else the top of the stack.
    public var visibleViewController: ViewController? {
        presentedViewController?.presentationChain.last ?? topViewController
    }

    /// Replaces the stack. Controllers that stay are told nothing unless they appear or disappear. One that is listed twice
    /// counts once.
    open func setViewControllers(_ viewControllers: [ViewController]) {
        changeStack(to: viewControllers, byUser: false)
    }

    /// Puts a controller on top. Does nothing when it is on the stack already, or when this controller is in it.
    open func pushViewController(_ viewController: ViewController) {
        guard !hasChild(viewController) else { return }
        setViewControllers(children + [viewController])
    }

    /// As ``pushViewController(_:)``.
    open func show(_ viewController: ViewController) {
        pushViewController(viewController)
    }

    /// Replaces the top. Does nothing when the controller is on the stack already.
    open func replaceTop(with viewController: ViewController) {
        guard !hasChild(viewController) else { return }
        setViewControllers(children.dropLast() + [viewController])
    }

    /// Removes the top, but never the last controller of the stack.
    /// - Returns: the controller that was removed.
    @discardableResult
    open func popViewController() -> ViewController? {
        guard children.count > 1, let top = children.last else { return nil }
        setViewControllers(children.dropLast())
        return top
    }

    /// Removes all that is above a controller. Does nothing when it is not on the stack.
    /// - Returns: the controllers that were removed, bottom first.
    @discardableResult
    open func popToViewController(_ viewController: ViewController) -> [ViewController] {
        guard let index = children.firstIndex(where: { $0 === viewController }) else { return [] }
        let removed = Array(children[(index + 1)...])
        setViewControllers(Array(children[...index]))
        return removed
    }

    /// Removes all but the bottom of the stack.
    /// - Returns: the controllers that were removed, bottom first.
    @discardableResult
    open func popToRootViewController() -> [ViewController] {
        guard let root = children.first else { return [] }
        return popToViewController(root)
    }

    /// The user's own way back: pops the top, and the delegate learns that it was the user.
    public func userDidTapBack() {
        guard children.count > 1 else { return }
        changeStack(to: children.dropLast(), byUser: true)
    }

    private func changeStack(to wanted: [ViewController], byUser: Bool) {
        replaceChildren(with: wanted) {
            delegate?.navigationController(self, willShow: topViewController)
        } completion: { [weak self] removed in
            self?.stackDidChange(removed: removed, byUser: byUser)
        }
    }

    private func stackDidChange(removed: [ViewController], byUser: Bool) {
        delegate?.navigationController(self, didShow: topViewController, removed: removed, byUser: byUser)
        observers.removeAll { $0.object == nil }
        for observer in observers {
            observer.object?.navigationController(self, didShow: topViewController, removed: removed, byUser: byUser)
        }
    }

    /// As ``pushViewController(_:)``.
    open override func addChild(_ child: ViewController) {
        pushViewController(child)
    }

    override func removeChild(_ child: ViewController) {
        setViewControllers(children.filter { $0 !== child })
    }

    // MARK: - Observers

    /// Tells an object of every change of the stack, after the delegate. It is not retained. Adding it again does nothing.
    public func addObserver(_ observer: any NavigationControllerObserver) {
        observers.removeAll { $0.object == nil || $0.object === observer }
        observers.append(Observer(object: observer))
    }

    /// Stops telling an object of changes.
    public func removeObserver(_ observer: any NavigationControllerObserver) {
        observers.removeAll { $0.object == nil || $0.object === observer }
    }

    // MARK: - Content

    private static let backAction = "back"

    /// The content of the top, and the action `back` when there is something to go back to. A top that has an action of
    /// that name itself keeps it.
    open override var content: ScreenContent {
        var content = topViewController?.content ?? super.content
        if offersBack(over: content) {
            let previous = children[children.count - 2].title ?? ""
            content.actions.append(
                ScreenContent.Action(name: Self.backAction, label: previous.isEmpty ? "Back" : previous))
        }
        return content
    }

    /// Goes back, or lets the top perform the action.
    open override func perform(action: String, fields: [String: String]) async throws {
        guard let top = topViewController else {
            try await super.perform(action: action, fields: fields)
            return
        }
        if action == Self.backAction, offersBack(over: top.content) {
            userDidTapBack()
        } else {
            try await top.perform(action: action, fields: fields)
        }
    }

    private func offersBack(over content: ScreenContent) -> Bool {
        children.count > 1 && !content.lists(action: Self.backAction)
    }

    override var visibleChildren: [ViewController] { topViewController.map { [$0] } ?? [] }
    override var placesChildViews: Bool { true }
    override var tabTitle: String? { title ?? children.first?.title }
}

extension ViewController {
    /// The nearest navigation controller that this controller is in.
    public var navigationController: NavigationController? { nearestAncestor(NavigationController.self) }
}

/// Is told of every change of a navigation controller's stack, once it is in place.
@MainActor
public protocol NavigationControllerDelegate: AnyObject {
    /// The stack has changed, and its top is about to appear.
    /// - Parameter viewController: the top; `nil` when the stack is empty.
    func navigationController(
        _ navigationController: NavigationController, willShow viewController: ViewController?)

    /// The stack has changed, and its top is shown.
    /// - Parameters:
    ///   - viewController: the top; `nil` when the stack is empty.
    ///   - removed: the controllers that are no longer on the stack, bottom first.
    ///   - byUser: whether the user went back, rather than the program.
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

/// Watches a navigation controller's stack beside its delegate.
@MainActor
public protocol NavigationControllerObserver: AnyObject {
    /// The stack has changed, and its top is shown; the delegate has been told.
    /// - Parameters:
    ///   - viewController: the top; `nil` when the stack is empty.
    ///   - removed: the controllers that are no longer on the stack, bottom first.
    ///   - byUser: whether the user went back, rather than the program.
    func navigationController(
        _ navigationController: NavigationController, didShow viewController: ViewController?,
        removed: [ViewController], byUser: Bool)
}
