public import Messaging

/// A coordinator with one root view controller.
///
/// A view controller does not know where it is shown or which object shows it. The coordinator is responsible for that.
/// Use few coordinators: one for each flow of the application. A container controller that is used as a plain screen
/// needs none.
@MainActor
open class Coordinator<Root: ViewController>: AnyCoordinator, Coordinating {
    /// The controller that contains all screens of this coordinator. Several coordinators may share it.
    public let rootViewController: Root
    override final var root: ViewController { rootViewController }

    public init(rootViewController: Root) {
        self.rootViewController = rootViewController
        super.init()
    }

    /// The coordinator's name in logs and errors; by default the class's name.
    open lazy var identifier: String = className

    /// The parent coordinator.
    open override var coordinatingResponder: Responder? { parentResponder }

    // MARK: - Life cycle

    /// Starts the coordinator. Override to show the first screen. ``startChild(_:)`` sets the root view controller's
    /// coordinator even if an override does not call `super`.
    open func start() {
        willStart()
    }

    /// Does the part of the start that must precede an override of ``start()``.
    override func willStart() {
        super.willStart()
        activate()
    }

    /// Starts the coordinator at what a link refers to; by default like ``start()``. Override it in a flow that a link
    /// can enter.
    open func start(with link: DeepLink?) {
        start()
    }

    /// Stops the coordinator and its children. Override to release what the subclass holds and to cancel its tasks, and
    /// call `super`. A coordinator that has stopped gets no more changes of the container.
    open func stop() {
        didStop()
    }

    override func didStop() {
        super.didStop()
        for child in childCoordinators { stopChild(child) }
        queuedMessages = []
        if rootViewController.parentCoordinator === self { rootViewController.parentCoordinator = nil }
    }

    /// Called when a child has finished. The child is stopped and removed.
    open func coordinatorDidFinish(_ coordinator: any Coordinating) {
        stopChild(coordinator)
    }

    /// Makes this the coordinator of the root view controller, which other coordinators may share.
    open func activate() {
        rootViewController.parentCoordinator = self
    }

    /// Activates the coordinator. A subclass also replaces the content of the root view controller with its own.
    open func takeover() {
        activate()
    }

    // MARK: - Children

    /// The coordinator that started this one. ``startChild(_:)`` sets it and ``stopChild(_:)`` resets it to `nil`.
    open weak var parent: (any Coordinating)? {
        didSet { parentResponder = parent as? Responder }
    }
    /// The parent as a responder. It is cast once, because a cast for each message that climbs past this coordinator
    /// would cost more than the rest of the step.
    private weak var parentResponder: Responder?

    /// The running children, in the order in which they were started.
    public private(set) var childCoordinators: [any Coordinating] = []

    /// Adds a child without starting it. Its messages climb to this coordinator, and it gets the container and its
    /// changes, unless somebody has given it another container.
    /// - Returns: `false` if nothing was done, because it is a child already, or because it is this coordinator or one
    ///   above it.
    @discardableResult
    public func addChild(_ coordinator: any Coordinating) -> Bool {
        guard !childCoordinators.contains(where: { $0 === coordinator }), !isBelow(coordinator) else { return false }
        childCoordinators.append(coordinator)
        coordinator.parent = self
        if let container = nearestContainer, !hasOwnContainer(coordinator) { pass(container, to: coordinator) }
        return true
    }

    /// Removes a child without stopping it. Does nothing if it is not a child.
    public func removeChild(_ coordinator: any Coordinating) {
        guard let index = childCoordinators.firstIndex(where: { $0 === coordinator }) else { return }
        childCoordinators.remove(at: index)
        coordinator.parent = nil
    }

    /// Returns whether a coordinator is this one or one above it.
    private func isBelow(_ coordinator: any Coordinating) -> Bool {
        selfAndAncestors.contains { $0 === coordinator }
    }

    /// This coordinator and those above it, from the bottom up. If coordinators are above themselves, it ends after
    /// 4,096 of them.
    var selfAndAncestors: some Sequence<any Coordinating> {
        sequence(first: self as any Coordinating) { $0.parent }.prefix(4096)
    }

    /// Adds a child and starts it. Does nothing if it is already a child, or if it is this coordinator or one above it.
    ///
    /// A child that needs a container first gets the nearest one, unless somebody has given it another one.
    public func startChild(_ coordinator: any Coordinating) {
        guard addChild(coordinator) else { return }
        guard let paged = coordinator as? any PageDisplaying else { return start(coordinator) }
        paged.noting(paged.page) { start(coordinator) }
    }

    private func start(_ child: any Coordinating) {
        NotingPages.within {
            (child as? AnyCoordinator)?.willStart()
            child.start()
        }
    }

    /// Removes a child and stops it together with its own children. Does nothing if it is not a child.
    public func stopChild(_ coordinator: any Coordinating) {
        guard let index = childCoordinators.firstIndex(where: { $0 === coordinator }) else { return }
        childCoordinators.remove(at: index)
        coordinator.stop()
        if let stopped = coordinator as? AnyCoordinator, stopped.isStarted { stopped.didStop() }
        coordinator.parent = nil
    }

    /// The container of this coordinator or, if it needs none, of the nearest ancestor that needs one.
    var nearestContainer: AppDependency? {
        for coordinator in selfAndAncestors {
            if let needing = coordinator.needingDependency { return needing.appDependency }
            // It does not need the container itself, but has passed it on.
            if let received = (coordinator as? AnyCoordinator)?.received { return received.container }
        }
        return nil
    }

    /// Returns whether a child has a container that was not passed to it. One that was stopped may have an older one
    /// that was.
    private func hasOwnContainer(_ child: any Coordinating) -> Bool {
        guard let container = child.needingDependency?.appDependency else { return false }
        guard let received = (child as? AnyCoordinator)?.received else { return true }
        return !AppDependency.areSame(received.container, container)
    }

    // MARK: - Queued messages

    /// The messages that wait for a dependency.
    public private(set) var queuedMessages: [CoordinatingQueuedMessage] = []

    /// Queues a message until ``processQueuedMessages()`` is called, which happens at each change of the container.
    /// ``stop()`` drops all queued messages.
    public func enqueueMessage(_ message: @escaping CoordinatingQueuedMessage) {
        queuedMessages.append(message)
    }

    /// Runs the queued messages, each once, in order. A message whose dependency is still missing may enqueue itself
    /// again to wait for the next call.
    public func processQueuedMessages() {
        let messages = queuedMessages
        queuedMessages = []
        for message in messages { message() }
    }
}
