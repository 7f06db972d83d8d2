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

    override var screen: Screen? {
        Screen("Processes") {
            Table((appDependency?.processes ?? []).prefix(8).map(Busy.init), name: "process") {
                Column("Name") { $0.process.name }
                Column("CPU") { .percent($0.process.cpuFraction) }
                Column("Memory") { .size($0.process.residentBytes) }
            } onSelect: { [self] busy in
                chain.globalDisplay(page: .process(pid: busy.id))
            }
        }
    }

    private struct Busy: Identifiable {
        let process: ProcessUsage
        var id: Int32 { process.pid }
    }
}
