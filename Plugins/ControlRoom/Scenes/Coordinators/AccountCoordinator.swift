import CoordinatorKit
import Messaging

/// Shows the login and settings pages.
@MainActor
final class AccountCoordinator: PageCoordinator {
    override func makeViewController(for page: ControlRoomPage) -> ViewController {
        page == .settings ? SettingsViewController() : LoginViewController()
    }

    override func isRoot(_ page: ControlRoomPage) -> Bool { page == .login }
}
