import AccountMessages
import CoordinatorKit
import Messaging

final class LoginViewController: ControlRoomViewController {
    @Kept var username = ""

    override var screen: Screen? {
        let isFirst = appDependency?.accountsExist == false
        return Screen("Log in") {
            if isFirst {
                Text("There is no account yet. Choose a name and a password of at least eight characters.")
            }
            Field("User name", $username)
            SecretField("Password")
            Action("Log in", name: "login", style: .main, unavailable: isFirst ? "there is no account yet" : nil) {
                [self] fields in try await logIn(with: fields.secret("password"))
            }
            if isFirst {
                Action("Create the first account", name: "create") { [self] fields in
                    let password = fields.secret("password")
                    _ = try await chain.accountCreate(username: username, password: password, displayName: nil)
                    try await logIn(with: password)
                }
            }
            Action("Look around without an account", name: "overview") { [self] in
                chain.globalDisplay(page: .overview)
            }
        }
    }

    private func logIn(with password: Secret<String>) async throws {
        _ = try await chain.accountLogin(username: username, password: password)
        // The screen may be shown to the next user.
        username = ""
    }
}
