import AccountMessages
import CoordinatorKit
import MachineMessages
import Messaging

/// The first screen of a user who is logged in: the machine's figures and its processes, each in a tab.
final class OverviewViewController: TabBarController, NeedsDependency {
    var appDependency: AppDependency? {
        didSet { setNeedsContentUpdate() }
    }

    override init() {
        super.init()
        viewControllers = [FiguresViewController(), ProcessesViewController()]
    }

    override var screen: Screen? {
        Screen {
            Action("Alerts (\(appDependency?.alerts?.count ?? 0))", name: "alerts") { [self] in
                chain.globalDisplay(page: .alerts)
            }
            Action("Settings") { [self] in chain.globalDisplay(page: .settings) }
            if appDependency?.account == nil {
                Action("Log in", name: "login") { [self] in chain.globalDisplay(page: .login) }
            }
        }
    }
}
