import CoordinatorKit
import Messaging

/// Shows the machine's figures: the overview and the page of one process.
@MainActor
final class MachineCoordinator: PageCoordinator {
    override func makeViewController(for page: ControlRoomPage) -> ViewController {
        if case .process(let pid) = page { return ProcessViewController(pid: pid) }
        return OverviewViewController()
    }

    override func isRoot(_ page: ControlRoomPage) -> Bool { page == .overview }
}
