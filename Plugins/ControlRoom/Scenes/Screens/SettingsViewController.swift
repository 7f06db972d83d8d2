import CoordinatorKit
import AccountMessages
import Messaging

final class SettingsViewController: ControlRoomViewController {
    override var content: ScreenContent {
        guard let account = appDependency?.account else {
            return ScreenContent(title: "Settings", texts: ["Log in to change your settings."])
        }
        return ScreenContent(
            title: "Settings", texts: ["Logged in as \(account.displayName) (\(account.username))"],
            actions: [
                ScreenContent.Action(name: "changePassword", label: "Change the password"),
                ScreenContent.Action(name: "logout", label: "Log out"),
            ])
    }

    override func perform(action: String, fields: [String: String]) async throws {
        switch action {
        case "logout":
            try await chain.accountLogout()
        case "changePassword":
            chain.globalChangePassword()
        default:
            try await super.perform(action: action, fields: fields)
        }
    }
}
