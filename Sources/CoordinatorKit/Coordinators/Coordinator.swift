public import Messaging

/// A coordinator with one root view controller.
///
/// View controllers know neither where they are shown nor by whom; that is the coordinator's business. Keep coordinators
/// few: one for each flow of the application. A container controller that is used as a plain screen needs none.
@MainActor
open class Coordinator<Root: ViewController>: Responder, Coordinating {
    /// The controller that everything of this coordinator is shown in. Several coordinators may share it.
    public let rootViewController: Root

    public init(rootViewController: Root) {
        self.rootViewController = rootViewController
        super.init()
    }

    /// The class's name unless it is set.
    open lazy var identifier: String = className

    /// The parent coordinator.
    open override var coordinatingResponder: Responder? { parentResponder }

    // MARK: - Life

    /// Whether it has been started and not stopped since.
    public private(set) var isStarted = false

    /// Starts. Override to show the first screen. The root view controller learns its coordinator whether or not an
    /// override calls `super`, when the coordinator is started by ``startChild(_:)``.
    open func start() {
        willStart()
    }

    /// What has to be true before an override of ``start()`` shows anything.
    func willStart() {
        isStarted = true
        activate()
    }

    /// Stops, and stops its children. Override to let go of what the subclass holds and to cancel its tasks, and call `super`: a
    /// coordinator that has stopped gets no changes of the container any more.
    open func stop() {
        didStop()
    }

    func didStop() {
        isStarted = false
        for child in childCoordinators { stopChild(child) }
        queuedMessages = []
        if rootViewController.parentCoordinator === self { rootViewController.parentCoordinator = nil }
    }

    /// A child says that it is done: it is stopped and removed.
    open func coordinatorDidFinish(_ coordinator: any Coordinating) {
        stopChild(coordinator)
    }

    /// Makes this the coordinator of the root view controller, which another may share.
    open func activate() {
        rootViewController.parentCoordinator = self
    }

    /// Activates. A subclass also replaces what others show on the root view controller by what it shows.
    open func takeover() {
        activate()
    }

    // MARK: - Children

    /// The coordinator that started this one: set by ``startChild(_:)``, and `nil` again after ``stopChild(_:)``.
    open weak var parent: (any Coordinating)? {
        didSet { parentResponder = parent as? Responder }
    }
    /// The parent once more: a message passes here, and a cast for each that passes would cost more than all the rest.
    private weak var parentResponder: Responder?

    /// The running children, in the order in which they were started.
    public private(set) var childCoordinators: [any Coordinating] = []

    /// Adds a child, gives it the nearest container when it needs one and has none, and starts it; does nothing when it is a child
    /// already.
    public func startChild(_ coordinator: any Coordinating) {
        guard !childCoordinators.contains(where: { $0 === coordinator }) else { return }
        childCoordinators.append(coordinator)
        coordinator.parent = self
        if let needing = coordinator as? any NeedsDependency, needing.appDependency == nil,
            let container = nearestContainer
        {
            needing.appDependency = container
        }
        (coordinator as? any StartPreparing)?.prepareToStart()
        coordinator.start()
    }

    /// Removes a child and stops it, with its own children; does nothing when it is not a child.
    public func stopChild(_ coordinator: any Coordinating) {
        guard let index = childCoordinators.firstIndex(where: { $0 === coordinator }) else { return }
        childCoordinators.remove(at: index)
        coordinator.stop()
        (coordinator as? any StartPreparing)?.finishStopping()
        coordinator.parent = nil
    }

    /// The container of this coordinator, or of the nearest one above that has a use for it.
    private var nearestContainer: AppDependency? {
        var coordinator: (any Coordinating)? = self
        while let current = coordinator {
            if let needing = current as? any NeedsDependency { return needing.appDependency }
            coordinator = current.parent
        }
        return nil
    }

    // MARK: - Queued messages

    /// The messages that wait for a dependency.
    public private(set) var queuedMessages: [CoordinatingQueuedMessage] = []

    /// Keeps a message until ``processQueuedMessages()``, which each change of the container brings about; ``stop()`` drops it.
    public func enqueueMessage(_ message: @escaping CoordinatingQueuedMessage) {
        queuedMessages.append(message)
    }

    /// Runs the kept messages, each once, in order. A message whose dependency is still missing may enqueue itself again:
    /// it then waits for the next call.
    public func processQueuedMessages() {
        let messages = queuedMessages
        queuedMessages = []
        for message in messages { message() }
    }
}

/// The bookkeeping around start and stop that must happen whether or not an override calls `super`.
@MainActor
protocol StartPreparing {
    func prepareToStart()
    func finishStopping()
}

extension Coordinator: StartPreparing {
    func prepareToStart() { willStart() }
    func finishStopping() { if isStarted { didStop() } }
}
