public import Messaging

/// What makes an object a coordinator: it starts and stops, has a parent and children, and takes part in the chain.
@MainActor
public protocol Coordinating: AnyObject {
    /// Names this coordinator in logs and errors. Two coordinators may have the same.
    var identifier: String { get }
    /// The coordinator that started this one. Conforming types keep it weak.
    var parent: (any Coordinating)? { get set }
    /// The running children, in the order in which they were started.
    var childCoordinators: [any Coordinating] { get }
    /// Where a message goes that this coordinator does not handle.
    var coordinatingResponder: Responder? { get }

    /// Starts: at the end something is shown.
    func start()
    /// Stops: removes what it shows and lets go of it.
    func stop()
    /// A child says that it is done: by default it is stopped and removed.
    func coordinatorDidFinish(_ coordinator: any Coordinating)
    /// Adds a child and starts it; does nothing when it is a child already.
    func startChild(_ coordinator: any Coordinating)
    /// Stops a child and removes it; does nothing when it is not a child.
    func stopChild(_ coordinator: any Coordinating)
    /// Takes ownership of the root view controller back from a coordinator that shared it.
    func activate()
    /// Activates, and replaces what others show on the root view controller by what this one shows.
    func takeover()

    /// Keeps a message for later: its dependency is not there yet.
    func enqueueMessage(_ message: @escaping CoordinatingQueuedMessage)
    /// Runs the kept messages, each once, in order.
    func processQueuedMessages()
}

/// A message that waits for a dependency. Mind what it captures: the queue holds it until it runs.
public typealias CoordinatingQueuedMessage = @MainActor () -> Void

extension Coordinating {
    /// The first running child of a type; `nil` when there is none.
    public func child<Child>(matching type: Child.Type) -> Child? {
        childCoordinators.lazy.compactMap { $0 as? Child }.first
    }
}
