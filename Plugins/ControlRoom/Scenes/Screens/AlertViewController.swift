import CoordinatorKit
import Messaging
import MachineMessages
import MachineModel

final class AlertViewController: ControlRoomViewController {
    private let id: String

    init(id: String) {
        self.id = id
        super.init()
    }

    override var content: ScreenContent {
        guard let alert = appDependency?.alerts?.first(where: { $0.id == id }) else {
            return ScreenContent(title: "Alert \(id)", texts: ["It was acknowledged or has cleared."])
        }
        return ScreenContent(
            title: "Alert \(id)", texts: ["\(alert.level.rawValue): \(alert.title)", alert.detail],
            actions: [ScreenContent.Action(name: "acknowledge", label: "Acknowledge")])
    }

    override func perform(action: String, fields: [String: String]) async throws {
        guard action == "acknowledge" else { return try await super.perform(action: action, fields: fields) }
        // No responder of the scene handles this message, so it climbs to the host and from there to the machine
        // plugin.
        _ = try await chain.alertAcknowledge(id: id)
    }
}
