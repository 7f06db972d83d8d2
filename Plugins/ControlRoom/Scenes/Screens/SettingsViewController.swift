import AccountMessages
import CoordinatorKit
import Messaging

final class SettingsViewController: ControlRoomViewController {
    override var screen: Screen? {
        Screen("Settings") {
            if let account = appDependency?.account {
                Text("Logged in as \(account.displayName) (\(account.username))")
                Action("Change the password", name: "changePassword") { [self] in chain.globalChangePassword() }
                Action("Log out", name: "logout") { [self] in try await chain.accountLogout() }
            } else {
                Text("Log in to change your settings.")
            }
        }
    }
}
