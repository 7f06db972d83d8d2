import CoordinatorKit
import MachineMessages
import MachineModel
import Messaging

final class ProcessViewController: ControlRoomViewController {
    private let pid: Int32

    init(pid: Int32) {
        self.pid = pid
        super.init()
    }

    override var screen: Screen? {
        guard let process = appDependency?.processes?.first(where: { $0.pid == pid }) else {
            return Screen("Process \(pid)") {
                Text("The process has ended or is not among the busiest processes now.")
            }
        }
        return Screen("Process \(pid): \(process.name)") {
            Fact("CPU", .percent(process.cpuFraction))
            Fact("Memory", .size(process.residentBytes))
            Fact("Threads", .count(process.threads))
            Fact("State", "\(process.state)")
        }
    }
}
