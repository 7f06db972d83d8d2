import CoordinatorKit
import MachineMessages
import MachineModel
import Messaging

/// Lists the busiest processes.
final class ProcessesViewController: ControlRoomViewController {
    override init() {
        super.init()
        title = "Processes"
    }

    override var content: ScreenContent {
        ScreenContent(
            title: "Processes",
            items: (appDependency?.processes ?? []).prefix(8).map { process in
                ScreenContent.Item(
                    id: "\(process.pid)", title: process.name,
                    detail: "\(process.cpuFraction.map(Format.percent) ?? "-")  \(Format.bytes(process.residentBytes))",
                    action: "process:\(process.pid)")
            })
    }

    override func perform(action: String, fields: [String: String]) async throws {
        guard action.hasPrefix("process:"), let pid = Int32(action.dropFirst("process:".count)) else {
            return try await super.perform(action: action, fields: fields)
        }
        chain.globalDisplay(page: .process(pid: pid))
    }
}
