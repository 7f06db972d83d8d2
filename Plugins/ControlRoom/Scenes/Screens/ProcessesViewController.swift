import CoordinatorKit
import MachineMessages
import MachineModel
import Messaging

/// Lists the busiest processes. A process stays in its row while it is one of them, so that nothing moves under a reader's hand.
final class ProcessesViewController: ControlRoomViewController {
    private var places = SteadyPlaces<Int32>()

    override var appDependency: AppDependency? {
        willSet { places.update(Self.busiest(of: newValue).map(\.pid)) }
    }

    override init() {
        super.init()
        title = "Processes"
    }

    private static func busiest(of dependency: AppDependency?) -> ArraySlice<ProcessUsage> {
        dependency?.processes?.prefix(8) ?? []
    }

    override var screen: Screen? {
        let processes = Dictionary(Self.busiest(of: appDependency).map { ($0.pid, $0) }) { $1 }
        return Screen("Processes") {
            Table(places.ids.compactMap { processes[$0].map(Busy.init) }, name: "process") {
                Column("Name") { $0.process.name }
                Column("PID") { "\($0.process.pid)" }
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
