import AccountMessages
import CoordinatorKit
import Messaging

final class SettingsViewController: ControlRoomViewController {
    /// Whether the password has just been changed. It is said until the user goes elsewhere.
    var hasNewPassword = false {
        didSet { if hasNewPassword != oldValue { setNeedsContentUpdate() } }
    }

    override func viewDidDisappear() {
        hasNewPassword = false
        super.viewDidDisappear()
    }

    override var screen: Screen? {
        Screen("Settings") {
            if let account = appDependency?.account {
                if hasNewPassword { Text("Your password is changed.", level: .good) }
                Text("Logged in as \(account.displayName) (\(account.username))")
                Action("Change the password", name: "changePassword") { [self] in chain.globalChangePassword() }
                Action("Log out", name: "logout") { [self] in try await chain.accountLogout() }
            } else {
                Text("Log in to change your settings.")
            }
        }
    }
}
