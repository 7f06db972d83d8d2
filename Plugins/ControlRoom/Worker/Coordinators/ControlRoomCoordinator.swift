import AccountMessages
import CoordinatorKit

/// The top coordinator of a control-room scene, which passes each page to the child that shows it.
@MainActor
final class ControlRoomCoordinator: SceneCoordinator<ControlRoomPage>, GlobalMessages {
    private var wasLoggedIn = false

    override var initialPage: ControlRoomPage? { appDependency?.account == nil ? .login : .overview }

    override func resolve(_ link: DeepLink) throws -> ControlRoomPage {
        try ControlRoomPage.resolve(link)
    }

    func globalDisplay(page: ControlRoomPage) {
        display(page: page)
    }

    override func displayPage(_ page: ControlRoomPage) {
        switch page {
        case .login, .settings:
            showChild(at: page) { AccountCoordinator(rootViewController: rootViewController) }
        case .overview, .process:
            showChild(at: page) { MachineCoordinator(rootViewController: rootViewController) }
        case .alerts, .alert:
            showChild(at: page) { AlertsCoordinator(rootViewController: rootViewController) }
        }
    }

    override func dependenciesDidChange() {
        let isLoggedIn = appDependency?.account != nil
        defer { wasLoggedIn = isLoggedIn }
        guard isStarted, isLoggedIn != wasLoggedIn else { return }
        if isLoggedIn, rootViewController.topViewController is LoginViewController {
            display(page: .overview)
        } else if !isLoggedIn {
            display(page: .login)
        }
    }
}
