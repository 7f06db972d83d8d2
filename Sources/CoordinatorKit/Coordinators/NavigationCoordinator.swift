import Messaging

/// A coordinator whose root is a navigation controller.
///
/// It may share the navigation controller with its parent and its children. Each coordinator knows its own view
/// controllers on the stack. The coordinator that owns the top view controller owns the root.
@MainActor
open class NavigationCoordinator: Coordinator<NavigationController>, NavigationControllerDelegate, StackSharing {
    /// The view controllers of this coordinator on the stack, from the bottom up: those that it has shown, and those
    /// that others have pushed while it owned the root.
    ///
    /// Setting the list does not change the stack. ``takeover()`` shows it.
    public var viewControllers: [ViewController] = [] {
        didSet {
            for controller in viewControllers where !oldValue.contains(controller) { adopt(controller) }
        }
    }

    public override init(rootViewController: NavigationController) {
        super.init(rootViewController: rootViewController)
        rootViewController.addSharer(self)
    }

    /// Called when this coordinator has taken the root back, after a screen has left the stack or a child has finished:
    /// the user has gone back, or code other than this coordinator has changed the stack. Override to react.
    /// - Parameter viewController: The view controller that is on top now; `nil` if the stack is empty.
    open func handlePopBack(to viewController: ViewController?) {}

    // MARK: - Navigating

    /// Pushes a view controller. Does nothing if it is already on the stack.
    public func show(_ viewController: ViewController) {
        guard !rootViewController.viewControllers.contains(where: { $0 === viewController }) else { return }
        ownRoot()
        viewControllers = viewControllers.filter { $0 !== viewController } + [viewController]
        rootViewController.changeForCoordinator { $0.pushViewController(viewController) }
        noteOwnPage(on: viewController)
    }

    /// Makes a view controller the only one on the stack.
    public func root(_ viewController: ViewController) {
        ownRoot()
        viewControllers = [viewController]
        rootViewController.changeForCoordinator { $0.setViewControllers([viewController]) }
        noteOwnPage(on: viewController)
    }

    /// Replaces this coordinator's top view controller.
    public func top(_ viewController: ViewController) {
        guard let last = viewControllers.last else {
            root(viewController)
            return
        }
        ownRoot()
        viewControllers = viewControllers.dropLast() + [viewController]
        let stack = rootViewController.viewControllers.map { $0 === last ? viewController : $0 }
        rootViewController.changeForCoordinator { $0.setViewControllers(stack) }
        noteOwnPage(on: viewController)
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
        var removed: [ViewController] = []
        rootViewController.changeForCoordinator { removed = $0.popToViewController(viewController) }
        for emptied in forget(removed) where emptied.viewControllers.isEmpty {
            emptied.finish()
        }
    }

    /// Presents a view controller over the root.
    public func present(_ viewController: ViewController, completion: (() -> Void)? = nil) {
        adopt(viewController)
        rootViewController.present(viewController, completion: completion)
    }

    /// Dismisses the view controller that the root presents.
    public func dismiss(completion: (() -> Void)? = nil) {
        rootViewController.dismiss(completion: completion)
    }

    /// Makes this the coordinator of a view controller, so that messages of the view controller reach it even while
    /// another coordinator owns the root.
    private func adopt(_ viewController: ViewController) {
        // The root of a running coordinator stays its own.
        if !viewController.isOwnRoot { viewController.parentCoordinator = self }
        guard let container = nearestContainer else { return }
        for controller in viewController.selfAndDescendants { give(container, to: controller) }
    }

    override var controllers: [ViewController] {
        super.controllers + viewControllers.flatMap(\.selfAndDescendants)
    }

    /// Whether the root's delegate is a coordinator or missing. Another delegate was set on purpose and is kept.
    private var mayOwnRoot: Bool {
        rootViewController.delegate == nil || rootViewController.delegate is NavigationCoordinator
    }

    /// Takes ownership of the root, so that messages of its screens reach this coordinator first.
    private func ownRoot() {
        guard mayOwnRoot else { return }
        rootViewController.parentCoordinator = self
        rootViewController.delegate = self
    }

    // MARK: - Life cycle

    override func didStop() {
        if rootViewController.delegate === self { rootViewController.delegate = nil }
        let own = viewControllers
        viewControllers = []
        let rest = rootViewController.viewControllers.filter { controller in !own.contains { $0 === controller } }
        if rest.count != rootViewController.viewControllers.count {
            rootViewController.changeForCoordinator { $0.setViewControllers(rest) }
        }
        for controller in own where controller.parentCoordinator === self { controller.parentCoordinator = nil }
        super.didStop()
    }

    open override func activate() {
        super.activate()
        rootViewController.delegate = self
    }

    open override func takeover() {
        activate()
        rootViewController.changeForCoordinator { $0.setViewControllers(viewControllers) }
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
        if rootViewController.delegate !== self, mayOwnRoot { activate() }
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
        for ancestor in selfAndAncestors.dropFirst() {
            if let owner = (ancestor as? NavigationCoordinator)?.owner(of: viewController) { return owner }
        }
        return nil
    }

    // MARK: - Changes of the stack by others

    /// Does nothing: the navigation controller keeps the lists of all coordinators that share it, whoever its delegate
    /// is. As its delegate, this coordinator owns it.
    public func navigationController(
        _ navigationController: NavigationController, didShow viewController: ViewController?,
        removed: [ViewController], byUser: Bool
    ) {}

    /// Handles a change of the stack that no coordinator has made, such as the user's way back: updates the lists of
    /// the coordinators, finishes those that have lost their last view controller, and gives the root to the owner of
    /// the new top.
    func stackDidChange(added: [ViewController], removed: [ViewController]) {
        let root = rootViewController
        let losers = forget(removed)
        let all = sharers.flatMap(\.viewControllers)
        let unknown = added.filter { !all.contains($0) && root.viewControllers.contains($0) }
        // A coordinator that has just lost its last view controller is about to finish.
        var owner = root.delegate as? NavigationCoordinator ?? root.parentCoordinator as? NavigationCoordinator
        while let current = owner, losers.contains(current), current.viewControllers.isEmpty,
            let parent = current.parent as? NavigationCoordinator, parent.rootViewController === root
        {
            owner = parent
        }
        if let owner, owner.isStarted, !unknown.isEmpty { owner.viewControllers += unknown }
        for loser in losers where loser.isStarted { loser.handOver() }
    }

    /// Removes view controllers that have left the stack from the lists of all coordinators that share it.
    /// - Returns: The coordinators that have lost any, those that are deepest in the tree first.
    private func forget(_ removed: [ViewController]) -> [NavigationCoordinator] {
        var losers: [(depth: Int, coordinator: NavigationCoordinator)] = []
        for coordinator in sharers {
            let rest = coordinator.viewControllers.filter { controller in !removed.contains { $0 === controller } }
            guard rest.count < coordinator.viewControllers.count else { continue }
            coordinator.viewControllers = rest
            losers.append((coordinator.depth, coordinator))
        }
        return losers.sorted { $0.depth > $1.depth }.map(\.coordinator)
    }

    private var sharers: [NavigationCoordinator] {
        rootViewController.stackSharers.compactMap { $0 as? NavigationCoordinator }
    }

    private var depth: Int { selfAndAncestors.reduce(0) { depth, _ in depth + 1 } }

    /// Tells the parent that this coordinator has finished, unless a child still shows something.
    private func finish() {
        guard isStarted, rootViewController.topViewController.map({ owner(of: $0) == nil }) ?? true else { return }
        parent?.coordinatorDidFinish(self)
    }
}
