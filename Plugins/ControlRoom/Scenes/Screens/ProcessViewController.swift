import CoordinatorKit
import Messaging
import MachineMessages
import MachineModel

final class ProcessViewController: ControlRoomViewController {
    private let pid: Int32

    init(pid: Int32) {
        self.pid = pid
        super.init()
    }

    override var content: ScreenContent {
        guard let process = appDependency?.processes?.first(where: { $0.pid == pid }) else {
            return ScreenContent(
                title: "Process \(pid)", texts: ["The process has ended or is not among the busiest processes now."])
        }
        return ScreenContent(
            title: "Process \(pid): \(process.name)",
            texts: [
                "CPU: \(process.cpuFraction.map(Format.percent) ?? "-")",
                "Memory: \(Format.bytes(process.residentBytes))",
                "Threads: \(process.threads)",
                "State: \(process.state)",
            ])
    }
}
