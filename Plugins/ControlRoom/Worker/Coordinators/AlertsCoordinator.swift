import Messaging

/// Shows the list of open alerts and the page of one alert.
@MainActor
final class AlertsCoordinator: PageCoordinator {
    override func makeViewController(for page: ControlRoomPage) -> ControlRoomViewController {
        if case .alert(let id) = page { return AlertViewController(id: id) }
        return AlertsViewController()
    }
}
