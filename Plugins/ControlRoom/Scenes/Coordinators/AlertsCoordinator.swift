import CoordinatorKit
import MachineMessages
import Messaging

/// Shows the list of open alerts and the page of one alert.
@MainActor
final class AlertsCoordinator: PageCoordinator {
    /// The alert to show when the alerts are known.
    private var awaited: ControlRoomPage?

    override func makeViewController(for page: ControlRoomPage) -> ViewController {
        if case .alert(let id) = page { return AlertViewController(id: id) }
        return AlertsViewController()
    }

    override func displayPage() {
        guard case .alert = page, appDependency?.alerts == nil else {
            awaited = nil
            return super.displayPage()
        }
        // Nobody knows yet whether the alert is open. The list says so until the alerts are known.
        let wanted = page
        if awaited == nil { enqueueMessage { [weak self] in self?.displayAwaited() } }
        display(page: .alerts)
        awaited = wanted
    }

    private func displayAwaited() {
        guard let wanted = awaited, viewControllers.last === rootViewController.topViewController else { return }
        awaited = nil
        display(page: wanted)
    }
}
