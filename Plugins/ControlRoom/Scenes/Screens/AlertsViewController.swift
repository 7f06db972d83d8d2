import CoordinatorKit
import Messaging
import MachineMessages
import MachineModel

final class AlertsViewController: ControlRoomViewController {
    override var content: ScreenContent {
        guard let alerts = appDependency?.alerts else {
            return ScreenContent(title: "Alerts", texts: ["The alerts of this machine are not known yet."])
        }
        return ScreenContent(
            title: "Alerts",
            texts: alerts.isEmpty ? ["There are no open alerts."] : [],
            items: alerts.map { alert in
                ScreenContent.Item(
                    id: alert.id, title: "\(alert.level.rawValue): \(alert.title)", detail: alert.detail,
                    action: "alert:\(alert.id)")
            })
    }

    override func perform(action: String, fields: [String: String]) async throws {
        guard action.hasPrefix("alert:") else { return try await super.perform(action: action, fields: fields) }
        chain.globalDisplay(page: .alert(id: String(action.dropFirst("alert:".count))))
    }
}
