import Messaging

/// A router that shows modules in a navigation controller.
@MainActor
public final class NavigationRouter: Router, NavigationControllerObserver {
    private let rootController: NavigationController
    private var completions: [ObjectIdentifier: () -> Void] = [:]

    public init(rootController: NavigationController) {
        self.rootController = rootController
        rootController.addObserver(self)
    }

    /// The navigation controller.
    public func toPresent() -> ViewController? { rootController }

    /// Presents a module over the navigation controller. Does nothing if something is already presented there.
    public func present(_ module: (any Presentable)?, animated: Bool) {
        guard let controller = module?.toPresent() else { return }
        rootController.present(controller)
    }

    /// Dismisses the presented module. `completion` runs when it has disappeared.
    public func dismissModule(animated: Bool, completion: (() -> Void)?) {
        rootController.dismiss(completion: completion)
    }

    /// Pushes a module. Does nothing for a navigation controller, which cannot be pushed on another one.
    public func push(
        _ module: (any Presentable)?, animated: Bool, hideBottomBar: Bool, completion: (() -> Void)?
    ) {
        guard let controller = module?.toPresent(), !(controller is NavigationController) else { return }
        if let completion { completions[ObjectIdentifier(controller)] = completion }
        controller.hidesBottomBarWhenPushed = hideBottomBar
        rootController.pushViewController(controller)
    }

    /// Removes the top of the stack, but never the last controller.
    public func popModule(animated: Bool) {
        rootController.popViewController()
    }

    /// Makes a module the only one on the stack.
    public func setRootModule(_ module: (any Presentable)?, hideBar: Bool) {
        guard let controller = module?.toPresent() else { return }
        rootController.isNavigationBarHidden = hideBar
        rootController.setViewControllers([controller])
    }

    /// Removes all but the bottom of the stack.
    public func popToRootModule(animated: Bool) {
        rootController.popToRootViewController()
    }

    /// Runs the completions of the modules that have left the stack, from the top down.
    public func navigationController(
        _ navigationController: NavigationController, didShow viewController: ViewController?,
        removed: [ViewController], byUser: Bool
    ) {
        for controller in removed.reversed() { completions.removeValue(forKey: ObjectIdentifier(controller))?() }
    }
}
