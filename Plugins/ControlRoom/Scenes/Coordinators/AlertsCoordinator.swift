import CoordinatorKit
import MachineMessages
import Messaging

/// Shows the list of open alerts and the page of one alert.
@MainActor
final class AlertsCoordinator: PageCoordinator {
    override func makeViewController(for page: ControlRoomPage) -> ViewController {
        if case .alert(let id) = page { return AlertViewController(id: id) }
        return AlertsViewController()
    }

    override func displayPage() {
        if case .alert = page, appDependency?.alerts == nil {
            // Nobody knows yet whether the alert is open. The list says so until the alerts are known.
            let wanted = page
            enqueueMessage { [weak self] in
                guard let self, viewControllers.last === rootViewController.topViewController else { return }
                display(page: wanted)
            }
            return display(page: .alerts)
        }
        super.displayPage()
    }
}
