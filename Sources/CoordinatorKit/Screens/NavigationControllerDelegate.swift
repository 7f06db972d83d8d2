public import Messaging

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
