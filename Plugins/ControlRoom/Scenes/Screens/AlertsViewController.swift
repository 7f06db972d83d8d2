import CoordinatorKit
import MachineMessages
import MachineModel
import Messaging

final class AlertsViewController: ControlRoomViewController {
    override var screen: Screen? {
        Screen("Alerts") {
            if let alerts = appDependency?.alerts {
                List(alerts, name: "alert", placeholder: "There are no open alerts.") { alert in
                    Row(alert.title, detail: alert.detail, badge: alert.level.word)
                } onSelect: { [self] alert in
                    chain.globalDisplay(page: .alert(id: alert.id))
                }
            } else {
                Text("The alerts of this machine are not known yet.")
            }
        }
    }
}
