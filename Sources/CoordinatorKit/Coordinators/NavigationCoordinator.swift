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

    /// Pushes a view controller.
    public func show(_ viewController: ViewController) {
        adopt(viewController)
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
        viewControllers.removeLast()
        rootViewController.popViewController()
    }

    /// Goes back to one of this coordinator's view controllers; does nothing when it is not one of them, or on top.
    public func pop(to viewController: ViewController) {
        guard let index = viewControllers.firstIndex(where: { $0 === viewController }),
            index < viewControllers.count - 1
        else { return }
        viewControllers.removeSubrange((index + 1)...)
        rootViewController.popToViewController(viewController)
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
        super.coordinatorDidFinish(coordinator)
        // Children that do not share the root left it alone.
        guard rootViewController.delegate == nil || rootViewController.delegate === self else { return }
        guard let top = rootViewController.topViewController else {
            if viewControllers.isEmpty { parent?.coordinatorDidFinish(self) }
            return
        }
        if let owner = owner(of: top) {
            owner.activate()
            owner.handlePopBack(to: top)
        } else {
            parent?.coordinatorDidFinish(self)
        }
    }

    /// This coordinator or the one below it, at any depth, that put a view controller on the stack.
    private func owner(of viewController: ViewController) -> NavigationCoordinator? {
        if viewControllers.contains(where: { $0 === viewController }) { return self }
        for child in childCoordinators {
            if let owner = (child as? NavigationCoordinator)?.owner(of: viewController) { return owner }
        }
        return nil
    }

    // MARK: - The user's back button

    public func navigationController(
        _ navigationController: NavigationController, didShow viewController: ViewController?,
        removed: [ViewController], byUser: Bool
    ) {
        guard byUser else { return }
        let before = viewControllers.count
        viewControllers.removeAll { controller in removed.contains { $0 === controller } }
        guard viewControllers.count < before else { return }
        if viewControllers.isEmpty {
            parent?.coordinatorDidFinish(self)
        } else {
            handlePopBack(to: viewController)
        }
    }
}
