/// A router that shows modules in a navigation controller.
@MainActor
public final class NavigationRouter: Router, NavigationControllerObserver {
    private let rootController: NavigationController
    private var completions: [ObjectIdentifier: () -> Void] = [:]

    public init(rootController: NavigationController) {
        self.rootController = rootController
        rootController.addObserver(self)
    }

    public func toPresent() -> ViewController? { rootController }

    public func present(_ module: (any Presentable)?) {
        guard let controller = module?.toPresent() else { return }
        rootController.present(controller)
    }

    public func dismissModule(completion: (() -> Void)?) {
        rootController.dismiss(completion: completion)
    }

    /// Pushes a module. A navigation controller cannot be pushed on another: it is left out.
    public func push(_ module: (any Presentable)?, completion: (() -> Void)?) {
        guard let controller = module?.toPresent(), !(controller is NavigationController) else { return }
        if let completion { completions[ObjectIdentifier(controller)] = completion }
        rootController.pushViewController(controller)
    }

    public func popModule() {
        rootController.popViewController()
    }

    public func setRootModule(_ module: (any Presentable)?, hideBar: Bool) {
        guard let controller = module?.toPresent() else { return }
        rootController.isNavigationBarHidden = hideBar
        rootController.setViewControllers([controller])
    }

    public func popToRootModule() {
        rootController.popToRootViewController()
    }

    public func navigationController(
        _ navigationController: NavigationController, didShow viewController: ViewController?,
        removed: [ViewController], byUser: Bool
    ) {
        for controller in removed.reversed() { completions.removeValue(forKey: ObjectIdentifier(controller))?() }
    }
}
