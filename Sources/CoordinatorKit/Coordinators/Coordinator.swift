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

    open override var containingCoordinator: (any Coordinating)? { self }

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

    /// Stops. Override to let go of what the subclass holds.
    open func stop() {
        didStop()
    }

    func didStop() {
        isStarted = false
        for child in childCoordinators { stopChild(child) }
        queuedMessages = []
        if rootViewController.parentCoordinator === self { rootViewController.parentCoordinator = nil }
    }

    open func coordinatorDidFinish(_ coordinator: any Coordinating) {
        stopChild(coordinator)
    }

    open func activate() {
        rootViewController.parentCoordinator = self
    }

    open func takeover() {
        activate()
    }

    // MARK: - Children

    open weak var parent: (any Coordinating)? {
        didSet { parentResponder = parent as? Responder }
    }
    /// The parent once more: a message passes here, and a cast for each that passes would cost more than all the rest.
    private weak var parentResponder: Responder?

    public private(set) var childCoordinators: [any Coordinating] = []

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
