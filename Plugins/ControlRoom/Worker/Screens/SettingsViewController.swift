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
            fields: [
                ScreenContent.Field(name: "password", label: "Password", value: "", isSecret: true),
                ScreenContent.Field(name: "newPassword", label: "New password", value: "", isSecret: true),
            ],
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
            try await chain.accountChangePassword(
                password: fields["password"] ?? "", newPassword: fields["newPassword"] ?? "")
        default:
            try await super.perform(action: action, fields: fields)
        }
    }
}
