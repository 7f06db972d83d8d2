public import Messaging

/// The superclass of ``Coordinator``, whatever the type of its root. Subclass that one instead.
///
/// It is a class, because the first cast of an object to a protocol searches all conformances of the process.
@MainActor
open class AnyCoordinator: Responder {
    /// Whether the coordinator has been started and not stopped since.
    public internal(set) final var isStarted = false

    /// This coordinator, if it needs the container. A class that always does returns itself: for the first cast of each
    /// class, the runtime would search all conformances of the process.
    var asNeedsDependency: (any NeedsDependency)? { self as? any NeedsDependency }

    /// The container that was passed to it last; `nil` before that.
    final var received: PassedDependency?
    /// The container that it has passed to its children last; `nil` before that.
    final var passed: PassedDependency?

    /// The page that was noted last on a screen of this coordinator.
    final var notedPage: (any Page)?

    // A coordinator without a root is a mistake, so that only ``Coordinator`` can be subclassed.
    override init() { super.init() }

    var root: ViewController { preconditionFailure("\(className) has no root view controller") }

    /// The view controllers that get the container from it: the root and what is presented over it, with the controllers
    /// in them.
    var controllers: [ViewController] { root.presentationChain.flatMap(\.selfAndDescendants) }

    // MARK: - The parts of start and stop that run even if an override does not call `super`

    func willStart() { isStarted = true }

    func didStop() { isStarted = false }
}

extension ViewController {
    /// Whether this is the root of a running coordinator, which is its own.
    var isOwnRoot: Bool {
        guard let owner = parentCoordinator as? AnyCoordinator else { return false }
        return owner.isStarted && owner.root === self
    }
}
