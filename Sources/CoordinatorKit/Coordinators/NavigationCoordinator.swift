import Messaging

/// A coordinator whose root is a navigation controller.
///
/// It may share the navigation controller with its parent and its children. Each coordinator knows its own view
/// controllers on the stack. The coordinator that owns the top view controller owns the root.
@MainActor
open class NavigationCoordinator: Coordinator<NavigationController>, NavigationControllerDelegate {
    /// The view controllers that this coordinator has put on the stack, from the bottom up.
    public private(set) var viewControllers: [ViewController] = []

    /// Called when this coordinator has taken the root back, after the user has gone back or a child has finished.
    /// Override to react.
    /// - Parameter viewController: The view controller that is on top now; `nil` if the stack is empty.
    open func handlePopBack(to viewController: ViewController?) {}

    // MARK: - Navigating

    /// Pushes a view controller. Does nothing if it is already on the stack.
    public func show(_ viewController: ViewController) {
        guard !rootViewController.viewControllers.contains(where: { $0 === viewController }) else { return }
        adopt(viewController)
        viewControllers.removeAll { $0 === viewController }
        viewControllers.append(viewController)
        rootViewController.pushViewController(viewController)
    }

    /// Makes a view controller the only one on the stack.
    public func root(_ viewController: ViewController) {
        adopt(viewController)
        viewControllers = [viewController]
        rootViewController.setViewControllers([viewController])
    }

    /// Replaces this coordinator's top view controller.
    public func top(_ viewController: ViewController) {
        guard let last = viewControllers.popLast() else {
            root(viewController)
            return
        }
        adopt(viewController)
        viewControllers.append(viewController)
        rootViewController.setViewControllers(
            rootViewController.viewControllers.map { $0 === last ? viewController : $0 })
    }

    /// Goes back to this coordinator's previous view controller. Does nothing if the coordinator has only one.
    public func pop() {
        guard viewControllers.count > 1 else { return }
        pop(to: viewControllers[viewControllers.count - 2])
    }

    /// Goes back to one of this coordinator's view controllers, and removes all view controllers above it, including
    /// those of child coordinators. Does nothing if this coordinator does not have the view controller, or if it is on
    /// top.
    public func pop(to viewController: ViewController) {
        guard let index = viewControllers.firstIndex(where: { $0 === viewController }),
            rootViewController.topViewController !== viewController
        else { return }
        viewControllers.removeSubrange((index + 1)...)
        ownRoot()
        forget(rootViewController.popToViewController(viewController))
    }

    /// Removes view controllers that have left the stack from the lists of this coordinator and of its descendants.
    private func forget(_ removed: [ViewController]) {
        viewControllers.removeAll { controller in removed.contains { $0 === controller } }
        for child in childCoordinators { (child as? NavigationCoordinator)?.forget(removed) }
    }

    /// Presents a view controller over the root.
    public func present(_ viewController: ViewController, completion: (() -> Void)? = nil) {
        viewController.parentCoordinator = self
        rootViewController.present(viewController, completion: completion)
    }

    /// Dismisses the view controller that the root presents.
    public func dismiss(completion: (() -> Void)? = nil) {
        rootViewController.dismiss(completion: completion)
    }

    /// Makes this the coordinator of a view controller, so that messages of the view controller reach it even while
    /// another coordinator owns the root.
    private func adopt(_ viewController: ViewController) {
        viewController.parentCoordinator = self
        ownRoot()
    }

    /// Takes ownership of the root, so that this coordinator is notified when the user goes back. A delegate that is
    /// not a coordinator was set on purpose and is kept.
    private func ownRoot() {
        guard rootViewController.delegate == nil || rootViewController.delegate is NavigationCoordinator else { return }
        rootViewController.parentCoordinator = self
        rootViewController.delegate = self
    }

    // MARK: - Life cycle

    override func didStop() {
        if rootViewController.delegate === self { rootViewController.delegate = nil }
        let own = viewControllers
        viewControllers = []
        let rest = rootViewController.viewControllers.filter { controller in !own.contains { $0 === controller } }
        if rest.count != rootViewController.viewControllers.count { rootViewController.setViewControllers(rest) }
        for controller in own where controller.parentCoordinator === self { controller.parentCoordinator = nil }
        super.didStop()
    }

    open override func activate() {
        super.activate()
        rootViewController.delegate = self
    }

    open override func takeover() {
        activate()
        rootViewController.setViewControllers(viewControllers)
    }

    open override func coordinatorDidFinish(_ coordinator: any Coordinating) {
        let sharedRoot = (coordinator as? Coordinator<NavigationController>)?.rootViewController === rootViewController
        super.coordinatorDidFinish(coordinator)
        // A child with its own root has not changed this coordinator's root.
        guard sharedRoot, rootViewController.delegate == nil || rootViewController.delegate === self else { return }
        handOver()
    }

    /// Gives the root to the coordinator that owns the top view controller. If neither this coordinator nor a
    /// descendant owns it, and this coordinator has no view controllers left, it tells its parent that it has finished.
    private func handOver() {
        let top = rootViewController.topViewController
        if let top, let owner = owner(of: top) {
            owner.takeRootBack(at: top)
        } else if viewControllers.isEmpty {
            parent?.coordinatorDidFinish(self)
        } else if let top {
            (ancestorsOwner(of: top) ?? self).takeRootBack(at: top)
        } else {
            takeover()
            handlePopBack(to: rootViewController.topViewController)
        }
    }

    private func takeRootBack(at top: ViewController) {
        if rootViewController.delegate !== self { activate() }
        handlePopBack(to: top)
    }

    /// Finds the coordinator that has put a view controller on the stack: this one or a descendant.
    private func owner(of viewController: ViewController) -> NavigationCoordinator? {
        if viewControllers.contains(where: { $0 === viewController }) { return self }
        for child in childCoordinators {
            if let owner = (child as? NavigationCoordinator)?.owner(of: viewController) { return owner }
        }
        return nil
    }

    /// Finds the owner of a view controller among the ancestors of this coordinator and their descendants.
    private func ancestorsOwner(of viewController: ViewController) -> NavigationCoordinator? {
        var ancestor = parent
        while let current = ancestor {
            if let owner = (current as? NavigationCoordinator)?.owner(of: viewController) { return owner }
            ancestor = current.parent
        }
        return nil
    }

    // MARK: - The user's back button

    /// Handles the user's way back: removes the view controllers that have left the stack from this coordinator's list,
    /// and gives the root to the owner of the new top.
    public func navigationController(
        _ navigationController: NavigationController, didShow viewController: ViewController?,
        removed: [ViewController], byUser: Bool
    ) {
        guard byUser else { return }
        let before = viewControllers.count
        viewControllers.removeAll { controller in removed.contains { $0 === controller } }
        guard viewControllers.count < before else { return }
        handOver()
    }
}
