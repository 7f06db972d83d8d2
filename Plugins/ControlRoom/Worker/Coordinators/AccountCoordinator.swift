import AccountMessages
import Messaging

/// Shows the login and settings pages.
@MainActor
final class AccountCoordinator: PageCoordinator {
    override func makeViewController(for page: ControlRoomPage) -> ControlRoomViewController {
        page == .settings ? SettingsViewController() : LoginViewController()
    }

    override func isRoot(_ page: ControlRoomPage) -> Bool { page == .login }
}
