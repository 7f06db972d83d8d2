import Messaging

/// What this module calls on a ``Coordinator`` without knowing the type of its root.
///
/// It is one protocol, because the first cast of each class to a protocol searches all conformances of the process.
@MainActor
protocol AnyRootCoordinator: AnyObject {
    var root: ViewController { get }
    var isStarted: Bool { get }

    // MARK: - The parts of start and stop that must run even if an override does not call `super`

    func prepareToStart()
    func finishStopping()

    // MARK: - Which container it has received and passed on

    /// The container that was passed to it last; `nil` before that.
    var received: PassedDependency? { get set }
    /// The container that it has passed to its children last; `nil` before that.
    var passed: PassedDependency? { get set }
    /// The view controllers that get the container from it.
    var controllers: [ViewController] { get }
}

extension ViewController {
    /// Whether this is the root of a running coordinator, which is its own.
    var isOwnRoot: Bool {
        guard let owner = parentCoordinator as? any AnyRootCoordinator else { return false }
        return owner.isStarted && owner.root === self
    }
}
