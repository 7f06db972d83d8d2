import AccountMessages
import Messaging

/// Logging in and settings.
@MainActor
final class AccountCoordinator: PageCoordinator {
    override func makeViewController(for page: ControlRoomPage) -> ControlRoomViewController {
        page == .settings ? SettingsViewController() : LoginViewController()
    }

    override func isRoot(_ page: ControlRoomPage) -> Bool { page == .login }
}
