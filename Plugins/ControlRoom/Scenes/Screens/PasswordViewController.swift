import CoordinatorKit
import Messaging

/// One step of the password flow: asks for a password.
final class PasswordViewController: ViewController {
    enum Step {
        case current, new
    }

    /// Called with the password that the user has entered. An error is shown to the user.
    var onPassword: ((Secret<String>) async throws -> Void)?
    /// Called when the user does not want to go on.
    var onCancel: (() -> Void)?

    private let step: Step

    init(_ step: Step) {
        self.step = step
        super.init()
        title = step == .current ? "Current password" : "New password"
    }

    override var screen: Screen? {
        Screen(title ?? "") {
            if step == .new { Text("Choose a password of at least eight characters.") }
            SecretField(title ?? "", name: "password")
            Action(step == .new ? "Continue" : "Change the password", name: "continue", style: .main) { [self] fields in
                try await onPassword?(fields.secret("password"))
            }
            Action("Cancel", name: "dismiss") { [self] in onCancel?() }
        }
    }
}
