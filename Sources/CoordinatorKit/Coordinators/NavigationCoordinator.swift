public import Messaging

/// A coordinator whose root is a navigation controller.
///
/// It may share the navigation controller with its parent and with its children: each knows which of the view controllers
/// on the stack are its own, and the one that owns the top view controller owns the root.
@MainActor
open class NavigationCoordinator: Coordinator<NavigationController>, NavigationControllerDelegate {
    /// The view controllers that this coordinator has put on the stack, bottom first.
    public private(set) var viewControllers: [ViewController] = []

    /// The user went back to one of this coordinator's view controllers; `nil` when none is left. Override to react.
    open func handlePopBack(to viewController: ViewController?) {}

    // MARK: - Navigating

    /// Pushes a view controller; does nothing when it is on the stack already.
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

    /// Goes back to the previous one of this coordinator's view controllers; does nothing at its first.
    public func pop() {
        guard viewControllers.count > 1 else { return }
        pop(to: viewControllers[viewControllers.count - 2])
    }

    /// Goes back to one of this coordinator's view controllers, past those of its children too; does nothing when it is
    /// not one of them, or on top.
    public func pop(to viewController: ViewController) {
        guard let index = viewControllers.firstIndex(where: { $0 === viewController }),
            rootViewController.topViewController !== viewController
        else { return }
        viewControllers.removeSubrange((index + 1)...)
        ownRoot()
        forget(rootViewController.popToViewController(viewController))
    }

    /// View controllers are gone from the stack for good: neither this coordinator nor one below it has them any more.
    private func forget(_ removed: [ViewController]) {
        viewControllers.removeAll { controller in removed.contains { $0 === controller } }
        for child in childCoordinators { (child as? NavigationCoordinator)?.forget(removed) }
    }

    /// Presents a view controller over the root.
    public func present(_ viewController: ViewController, completion: (() -> Void)? = nil) {
        viewController.parentCoordinator = self
        rootViewController.present(viewController, completion: completion)
    }

    /// Dismisses what the root presents.
    public func dismiss(completion: (() -> Void)? = nil) {
        rootViewController.dismiss(completion: completion)
    }

    /// Messages of a pushed view controller reach the coordinator that pushed it, also while another owns the root.
    private func adopt(_ viewController: ViewController) {
        viewController.parentCoordinator = self
        ownRoot()
    }

    /// Whoever puts a view controller on top has to hear of the user's way back from it. A delegate that is no coordinator
    /// was set on purpose and stays.
    private func ownRoot() {
        guard rootViewController.delegate == nil || rootViewController.delegate is NavigationCoordinator else { return }
        rootViewController.parentCoordinator = self
        rootViewController.delegate = self
    }

    // MARK: - Life

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
        // A child with a root of its own left this one alone.
        guard sharedRoot, rootViewController.delegate == nil || rootViewController.delegate === self else { return }
        handOver()
    }

    /// Gives the root to the coordinator that owns the top view controller; when this one has none left, its parent learns
    /// that it is done.
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

    /// This coordinator or the one below it, at any depth, that put a view controller on the stack.
    private func owner(of viewController: ViewController) -> NavigationCoordinator? {
        if viewControllers.contains(where: { $0 === viewController }) { return self }
        for child in childCoordinators {
            if let owner = (child as? NavigationCoordinator)?.owner(of: viewController) { return owner }
        }
        return nil
    }

    /// The owner above this coordinator, or beside it.
    private func ancestorsOwner(of viewController: ViewController) -> NavigationCoordinator? {
        var ancestor = parent
        while let current = ancestor {
            if let owner = (current as? NavigationCoordinator)?.owner(of: viewController) { return owner }
            ancestor = current.parent
        }
        return nil
    }

    // MARK: - The user's back button

    /// The user went back: forgets what has gone, and hands the root to the owner of what is on top now.
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
