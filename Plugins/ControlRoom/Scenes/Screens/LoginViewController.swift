import CoordinatorKit
import AccountMessages
import Messaging

final class LoginViewController: ControlRoomViewController {
    override var content: ScreenContent {
        let isFirst = appDependency?.accountsExist == false
        var actions = [ScreenContent.Action(name: "login", label: "Log in", isEnabled: !isFirst)]
        if isFirst { actions.append(ScreenContent.Action(name: "create", label: "Create the first account")) }
        actions.append(ScreenContent.Action(name: "overview", label: "Look around without an account"))
        return ScreenContent(
            title: "Log in",
            texts: isFirst
                ? ["There is no account yet. Choose a name and a password of at least eight characters."] : [],
            fields: [
                ScreenContent.Field(name: "username", label: "User name", value: restorationState["username"] ?? ""),
                ScreenContent.Field(name: "password", label: "Password", value: "", isSecret: true),
            ],
            actions: actions)
    }

    override func perform(action: String, fields: [String: String]) async throws {
        let username = fields["username"] ?? ""
        let password = Secret(fields["password"] ?? "")
        // Keep the input except the password.
        if let typed = fields["username"] { restorationState["username"] = typed.isEmpty ? nil : typed }
        switch action {
        case "login":
            _ = try await chain.accountLogin(username: username, password: password)
            // The screen may be shown to the next user.
            restorationState["username"] = nil
        case "create":
            _ = try await chain.accountCreate(username: username, password: password, displayName: nil)
            _ = try await chain.accountLogin(username: username, password: password)
        case "overview":
            chain.globalDisplay(page: .overview)
        default:
            try await super.perform(action: action, fields: fields)
        }
    }
}
