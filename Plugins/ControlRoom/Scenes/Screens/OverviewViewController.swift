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

    override var content: ScreenContent {
        var content = super.content
        content.actions += [
            ScreenContent.Action(name: "alerts", label: "Alerts (\(appDependency?.alerts?.count ?? 0))"),
            ScreenContent.Action(name: "settings", label: "Settings"),
        ]
        if appDependency?.account == nil {
            content.actions.append(ScreenContent.Action(name: "login", label: "Log in"))
        }
        return content
    }

    override func perform(action: String, fields: [String: String]) async throws {
        switch action {
        case "alerts": chain.globalDisplay(page: .alerts)
        case "settings": chain.globalDisplay(page: .settings)
        case "login": chain.globalDisplay(page: .login)
        default: try await super.perform(action: action, fields: fields)
        }
    }
}
