import CoordinatorKit

/// Records the calls that it receives.
final class StackCoordinator: NavigationCoordinator {
    private(set) var backs: [String] = []
    private(set) var finished: [ObjectIdentifier] = []

    var owned: [String] { viewControllers.map { $0.title ?? "?" } }

    override func handlePopBack(to viewController: ViewController?) { backs.append(viewController?.title ?? "nothing") }

    override func coordinatorDidFinish(_ coordinator: any Coordinating) {
        finished.append(ObjectIdentifier(coordinator))
        super.coordinatorDidFinish(coordinator)
    }
}
