public import Messaging

/// Something that can be shown: a view controller, or whatever stands for one.
@MainActor
public protocol Presentable {
    /// The view controller to show; `nil` when there is nothing.
    func toPresent() -> ViewController?
}

extension ViewController: Presentable {
    /// This controller.
    public func toPresent() -> ViewController? { self }
}

/// Shows modules for a flow that knows no view controllers: tests replace it by one that only writes down.
@MainActor
public protocol Router: Presentable {
    /// Presents a module over what is shown; does nothing for `nil`.
    func present(_ module: (any Presentable)?)
    /// Puts a module on top of the stack; does nothing for `nil`.
    /// - Parameter completion: runs when the module has left the stack, whoever removed it.
    func push(_ module: (any Presentable)?, completion: (() -> Void)?)
    /// Takes the top off the stack; does nothing when it is the only one.
    func popModule()
    /// Takes away what is presented.
    /// - Parameter completion: runs when that has disappeared.
    func dismissModule(completion: (() -> Void)?)
    /// Makes a module the only one on the stack; does nothing for `nil`.
    /// - Parameter hideBar: whether the bar over the content is left out.
    func setRootModule(_ module: (any Presentable)?, hideBar: Bool)
    /// Takes all but the bottom off the stack.
    func popToRootModule()
}

extension Router {
    /// Puts a module on top of the stack.
    public func push(_ module: (any Presentable)?) { push(module, completion: nil) }
    /// Takes away what is presented.
    public func dismissModule() { dismissModule(completion: nil) }
    /// Makes a module the only one on the stack, under the bar.
    public func setRootModule(_ module: (any Presentable)?) { setRootModule(module, hideBar: false) }
}

/// A flow whose owner learns when it has ended.
@MainActor
public protocol FlowOutput: AnyObject {
    /// Called once, when the flow has done its job.
    var finishFlow: (() -> Void)? { get set }
}
