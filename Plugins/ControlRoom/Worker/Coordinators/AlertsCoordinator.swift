import Messaging

/// The open alerts, and one of them.
@MainActor
final class AlertsCoordinator: PageCoordinator {
    override func makeViewController(for page: ControlRoomPage) -> ControlRoomViewController {
        if case .alert(let id) = page { return AlertViewController(id: id) }
        return AlertsViewController()
    }
}
