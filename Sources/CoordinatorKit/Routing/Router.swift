import Messaging

/// Something that can be shown: a view controller, or an object that has one.
@MainActor
public protocol Presentable {
    /// The view controller to show; `nil` if there is none.
    func toPresent() -> ViewController?
}

extension ViewController: Presentable {
    /// This controller.
    public func toPresent() -> ViewController? { self }
}

/// Shows modules for a flow that does not know view controllers. Tests can replace it with one that only records calls.
///
/// Nothing is animated; `animated` is there for code that comes from UIKit.
@MainActor
public protocol Router: Presentable {
    /// Presents a module over the current content.
    func present(_ module: (any Presentable)?)
    /// Presents a module over the current content. Does nothing for `nil`.
    func present(_ module: (any Presentable)?, animated: Bool)

    /// Pushes a module on the stack.
    func push(_ module: (any Presentable)?)
    /// Pushes a module on the stack.
    func push(_ module: (any Presentable)?, hideBottomBar: Bool)
    /// Pushes a module on the stack.
    func push(_ module: (any Presentable)?, animated: Bool)
    /// Pushes a module on the stack.
    func push(_ module: (any Presentable)?, animated: Bool, completion: (() -> Void)?)
    /// Pushes a module on the stack. Does nothing for `nil`.
    /// - Parameters:
    ///   - hideBottomBar: Whether a tab bar is hidden while the module is on the stack.
    ///   - completion: Runs when the module has left the stack, whether the program or the user removed it.
    func push(_ module: (any Presentable)?, animated: Bool, hideBottomBar: Bool, completion: (() -> Void)?)

    /// Removes the top of the stack.
    func popModule()
    /// Removes the top of the stack. Does nothing if it is the only module.
    func popModule(animated: Bool)

    /// Dismisses the presented module.
    func dismissModule()
    /// Dismisses the presented module.
    /// - Parameter completion: Runs when the module has disappeared.
    func dismissModule(animated: Bool, completion: (() -> Void)?)

    /// Makes a module the only one on the stack.
    func setRootModule(_ module: (any Presentable)?)
    /// Makes a module the only one on the stack. Does nothing for `nil`.
    /// - Parameter hideBar: Whether the navigation bar is hidden.
    func setRootModule(_ module: (any Presentable)?, hideBar: Bool)

    /// Removes all but the bottom of the stack.
    func popToRootModule()
    /// Removes all but the bottom of the stack.
    func popToRootModule(animated: Bool)
}

extension Router {
    public func present(_ module: (any Presentable)?) { present(module, animated: true) }
    public func push(_ module: (any Presentable)?) { push(module, animated: true) }
    public func push(_ module: (any Presentable)?, hideBottomBar: Bool) {
        push(module, animated: true, hideBottomBar: hideBottomBar, completion: nil)
    }
    public func push(_ module: (any Presentable)?, animated: Bool) { push(module, animated: animated, completion: nil) }
    public func push(_ module: (any Presentable)?, animated: Bool, completion: (() -> Void)?) {
        push(module, animated: animated, hideBottomBar: false, completion: completion)
    }
    /// Pushes a module on the stack.
    /// - Parameter completion: Runs when the module has left the stack, whether the program or the user removed it.
    public func push(_ module: (any Presentable)?, completion: (() -> Void)?) {
        push(module, animated: true, completion: completion)
    }
    public func popModule() { popModule(animated: true) }
    public func dismissModule() { dismissModule(completion: nil) }
    /// Dismisses the presented module.
    /// - Parameter completion: Runs when the module has disappeared.
    public func dismissModule(completion: (() -> Void)?) { dismissModule(animated: true, completion: completion) }
    public func setRootModule(_ module: (any Presentable)?) { setRootModule(module, hideBar: false) }
    public func popToRootModule() { popToRootModule(animated: true) }
}

/// A flow that reports to its owner when it has finished.
@MainActor
public protocol FlowOutput: AnyObject {
    /// Called once, when the flow has finished.
    var finishFlow: (() -> Void)? { get set }
}
