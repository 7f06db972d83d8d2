import CoordinatorKit
import MachineMessages
import MachineModel
import Messaging

final class AlertViewController: ControlRoomViewController {
    private let id: String

    init(id: String) {
        self.id = id
        super.init()
    }

    override var screen: Screen? {
        Screen("Alert \(id)") {
            if let alert = appDependency?.alerts?.first(where: { $0.id == id }) {
                Text(alert.title, level: alert.level.textLevel)
                Text(alert.detail)
                Fact("Level", alert.level.word)
                Fact("Since", .time(alert.raisedAt))
                Action("Acknowledge", style: .main) { [self] in
                    // No responder of the scene handles this message, so it climbs to the host and from there to the
                    // machine plugin.
                    _ = try await chain.alertAcknowledge(id: id)
                }
            } else {
                Text("It was acknowledged or has cleared.")
            }
        }
    }
}
