import Messaging

/// The methods of UIKit that say whether a change is animated. Nothing is animated here, so they call those that do not
/// say it.
extension ViewController {
    /// The same as ``present(_:completion:)``.
    public func present(_ controller: ViewController, animated: Bool, completion: (() -> Void)? = nil) {
        present(controller, completion: completion)
    }

    /// The same as ``dismiss(completion:)``.
    public func dismiss(animated: Bool, completion: (() -> Void)? = nil) {
        dismiss(completion: completion)
    }
}

extension NavigationController {
    /// The same as ``setViewControllers(_:)``.
    public func setViewControllers(_ viewControllers: [ViewController], animated: Bool) {
        setViewControllers(viewControllers)
    }

    /// The same as ``pushViewController(_:)``.
    public func pushViewController(_ viewController: ViewController, animated: Bool) {
        pushViewController(viewController)
    }

    /// The same as ``popViewController()``.
    @discardableResult
    public func popViewController(animated: Bool) -> ViewController? { popViewController() }

    /// The same as ``popToViewController(_:)``.
    @discardableResult
    public func popToViewController(_ viewController: ViewController, animated: Bool) -> [ViewController] {
        popToViewController(viewController)
    }

    /// The same as ``popToRootViewController()``.
    @discardableResult
    public func popToRootViewController(animated: Bool) -> [ViewController] { popToRootViewController() }
}

extension NavigationCoordinator {
    /// The same as ``present(_:completion:)``.
    public func present(_ viewController: ViewController, animated: Bool, completion: (() -> Void)? = nil) {
        present(viewController, completion: completion)
    }

    /// The same as ``dismiss(completion:)``.
    public func dismiss(animated: Bool, completion: (() -> Void)? = nil) {
        dismiss(completion: completion)
    }

    /// The same as ``top(_:)``.
    public func top(_ viewController: ViewController, animated: Bool) {
        top(viewController)
    }

    /// The same as ``pop()``.
    public func pop(animated: Bool) {
        pop()
    }

    /// The same as ``pop(to:)``.
    public func pop(to viewController: ViewController, animated: Bool) {
        pop(to: viewController)
    }
}
