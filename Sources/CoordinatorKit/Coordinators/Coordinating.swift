public import Messaging

/// An object that is a coordinator: it can be started and stopped, has a parent and children, and is part of the
/// responder chain.
@MainActor
public protocol Coordinating: AnyObject {
    /// The coordinator's name in logs and errors. It need not be unique.
    var identifier: String { get }
    /// The coordinator that started this one. Conforming types hold it weakly.
    var parent: (any Coordinating)? { get set }
    /// The running children, in the order in which they were started.
    var childCoordinators: [any Coordinating] { get }
    /// The responder to which messages go that this coordinator does not handle.
    var coordinatingResponder: Responder? { get }

    /// Starts the coordinator. When it returns, something is shown.
    func start()
    /// Starts the coordinator at what a link refers to; `nil` for no link. By default like ``start()``.
    func start(with link: DeepLink?)
    /// Stops the coordinator. It removes and releases what it shows.
    func stop()
    /// Called when a child has finished. By default the child is stopped and removed.
    func coordinatorDidFinish(_ coordinator: any Coordinating)
    /// Adds a child and starts it. Does nothing if it is already a child.
    func startChild(_ coordinator: any Coordinating)
    /// Stops a child and removes it. Does nothing if it is not a child.
    func stopChild(_ coordinator: any Coordinating)
    /// Takes back ownership of the root view controller from a coordinator that shares it.
    func activate()
    /// Activates the coordinator, and replaces the content of the root view controller with its own.
    func takeover()

    /// Queues a message whose dependency is not available yet.
    func enqueueMessage(_ message: @escaping CoordinatingQueuedMessage)
    /// Runs the queued messages, each once, in order.
    func processQueuedMessages()
}

/// A message that waits for a dependency. The queue retains it, and what it captures, until it runs.
public typealias CoordinatingQueuedMessage = @MainActor () -> Void

extension Coordinating {
    /// Starts the coordinator without regard to the link.
    public func start(with link: DeepLink?) { start() }

    /// Returns the first running child of a type; `nil` if there is none.
    public func child<Child>(matching type: Child.Type) -> Child? {
        childCoordinators.child(matching: type)
    }
}

extension Coordinating {
    /// The same as ``startChild(_:)``.
    public func startChild(coordinator: any Coordinating) { startChild(coordinator) }

    /// The same as ``stopChild(_:)``.
    public func stopChild(coordinator: any Coordinating) { stopChild(coordinator) }
}

@MainActor
extension Array where Element == any Coordinating {
    /// The first of these coordinators with an identifier; `nil` if there is none.
    public subscript(identifier: String) -> (any Coordinating)? { first { $0.identifier == identifier } }

    /// Returns the first of these coordinators of a type; `nil` if there is none.
    public func child<Child>(matching type: Child.Type) -> Child? { lazy.compactMap { $0 as? Child }.first }
}
