import CoordinatorKit

/// A coordinator that is no subclass of `Coordinator`.
@MainActor
class ForeignCoordinator: Coordinating {
    let identifier = "foreign"
    var parent: (any Coordinating)?
    let childCoordinators: [any Coordinating] = []
    let coordinatingResponder: Responder? = nil
    func start() {}
    func stop() {}
    func coordinatorDidFinish(_ coordinator: any Coordinating) {}
    func startChild(_ coordinator: any Coordinating) {}
    func stopChild(_ coordinator: any Coordinating) {}
    func activate() {}
    func takeover() {}
    func enqueueMessage(_ message: @escaping CoordinatingQueuedMessage) {}
    func processQueuedMessages() {}
}
