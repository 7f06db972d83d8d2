import AccountMessages
import CoordinatorKit
import Messaging

/// One step of the password flow: asks for a password. What is wrong with it is said at its field.
///
/// Each step has a class of its own, so that surfaces take it for another screen: the reader begins at its field, and what was
/// typed for one step never goes to the other.
class PasswordViewController: ViewController {
    fileprivate enum Step {
        case current, new
    }

    /// Called with the password that the user has entered. An error is shown to the user.
    var onPassword: ((Secret<String>) async throws -> Void)?
    /// Called when the user does not want to go on.
    var onCancel: (() -> Void)?

    private let step: Step
    /// Why the password cannot be taken; empty for no reason.
    private var problem = "" {
        didSet { setNeedsContentUpdate() }
    }

    fileprivate init(_ step: Step) {
        self.step = step
        super.init()
        title = step == .current ? "Current password" : "New password"
    }

    override var screen: Screen? {
        Screen(title ?? "") {
            Text(
                step == .new
                    ? "Step 1 of 2. Choose the new password."
                    : "Step 2 of 2. Confirm the change with the password that you have had so far.")
            SecretField(title ?? "", name: "password", hint: step == .new ? PasswordRule.hint : "", error: problem)
            Action(step == .new ? "Continue" : "Change the password", name: "continue", style: .main) { [self] fields in
                try await take(fields.secret("password"))
            }
            Action("Cancel", name: "dismiss") { [self] in onCancel?() }
        }
    }

    private func take(_ password: Secret<String>) async throws {
        problem = step == .new ? PasswordRule.problem(with: password) ?? "" : ""
        guard problem.isEmpty else { return }
        do {
            try await onPassword?(password)
        } catch let error where !(error is MessageError || error is CancellationError) {
            // It was refused. What has gone wrong on the way is no fault of the password.
            problem = "\(error)"
        }
    }
}

/// The first step, which asks for the new password.
final class NewPasswordViewController: PasswordViewController {
    init() { super.init(.new) }
}

/// The last step, which asks for the password that the user has had so far.
final class CurrentPasswordViewController: PasswordViewController {
    init() { super.init(.current) }
}
