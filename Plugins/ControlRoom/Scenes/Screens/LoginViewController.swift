import AccountMessages
import CoordinatorKit
import Messaging

/// Asks for a name and a password: to log in, or for the first account while there is none.
final class LoginViewController: ControlRoomViewController {
    @Kept var username = ""

    override var screen: Screen? {
        appDependency?.accountsExist == false ? firstAccount : login
    }

    private var login: Screen {
        Screen("Log in") {
            Field("User name", $username)
            SecretField("Password")
            Action("Log in", name: "login", style: .main) { [self] fields in
                try await logIn(with: fields.secret("password"))
            }
            lookAround
        }
    }

    private var firstAccount: Screen {
        Screen("Create the first account") {
            Text("There is no account yet. The name and the password that you choose here log you in from now on.")
            Field("User name", $username, hint: "Letters from a to z, digits and . _ -")
            SecretField("Password", hint: PasswordRule.hint)
            Action("Create the first account", name: "create", style: .main) { [self] fields in
                let password = fields.secret("password")
                _ = try await chain.accountCreate(username: username, password: password, displayName: nil)
                try await logIn(with: password)
            }
            lookAround
        }
    }

    private var lookAround: Action {
        Action("Look around without an account", name: "overview") { [self] in
            chain.globalDisplay(page: .overview)
        }
    }

    private func logIn(with password: Secret<String>) async throws {
        _ = try await chain.accountLogin(username: username, password: password)
        // The screen may be shown to the next user.
        username = ""
    }
}
