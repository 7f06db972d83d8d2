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
@MainActor
public protocol Router: Presentable {
    /// Presents a module over the current content. Does nothing for `nil`.
    func present(_ module: (any Presentable)?)
    /// Pushes a module on the stack. Does nothing for `nil`.
    /// - Parameter completion: Runs when the module has left the stack, whether the program or the user removed it.
    func push(_ module: (any Presentable)?, completion: (() -> Void)?)
    /// Removes the top of the stack. Does nothing if it is the only module.
    func popModule()
    /// Dismisses the presented module.
    /// - Parameter completion: Runs when the module has disappeared.
    func dismissModule(completion: (() -> Void)?)
    /// Makes a module the only one on the stack. Does nothing for `nil`.
    /// - Parameter hideBar: Whether the navigation bar is hidden.
    func setRootModule(_ module: (any Presentable)?, hideBar: Bool)
    /// Removes all but the bottom of the stack.
    func popToRootModule()
}

extension Router {
    /// Pushes a module on the stack.
    public func push(_ module: (any Presentable)?) { push(module, completion: nil) }
    /// Dismisses the presented module.
    public func dismissModule() { dismissModule(completion: nil) }
    /// Makes a module the only one on the stack, with the navigation bar.
    public func setRootModule(_ module: (any Presentable)?) { setRootModule(module, hideBar: false) }
}

/// A flow that reports to its owner when it has finished.
@MainActor
public protocol FlowOutput: AnyObject {
    /// Called once, when the flow has finished.
    var finishFlow: (() -> Void)? { get set }
}
