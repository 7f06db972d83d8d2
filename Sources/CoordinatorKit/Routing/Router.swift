/// Something that can be shown: a view controller, or whatever stands for one.
@MainActor
public protocol Presentable {
    /// The view controller to show; `nil` when there is nothing.
    func toPresent() -> ViewController?
}

extension ViewController: Presentable {
    public func toPresent() -> ViewController? { self }
}

/// Shows modules for a flow that knows no view controllers: tests replace it by one that only writes down.
@MainActor
public protocol Router: Presentable {
    func present(_ module: (any Presentable)?)
    /// - Parameter completion: runs when the module has left the stack, whoever removed it.
    func push(_ module: (any Presentable)?, completion: (() -> Void)?)
    func popModule()
    func dismissModule(completion: (() -> Void)?)
    func setRootModule(_ module: (any Presentable)?, hideBar: Bool)
    func popToRootModule()
}

extension Router {
    public func push(_ module: (any Presentable)?) { push(module, completion: nil) }
    public func dismissModule() { dismissModule(completion: nil) }
    public func setRootModule(_ module: (any Presentable)?) { setRootModule(module, hideBar: false) }
}

/// A flow whose owner learns when it has ended.
@MainActor
public protocol FlowOutput: AnyObject {
    /// Called once, when the flow has done its job.
    var finishFlow: (() -> Void)? { get set }
}
