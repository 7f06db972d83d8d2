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

    override var content: ScreenContent {
        ScreenContent(
            title: title ?? "",
            texts: step == .new ? ["Choose a password of at least eight characters."] : [],
            fields: [ScreenContent.Field(name: "password", label: title, isSecret: true)],
            actions: [
                ScreenContent.Action(name: "continue", label: step == .new ? "Continue" : "Change the password"),
                ScreenContent.Action(name: "dismiss", label: "Cancel"),
            ])
    }

    override func perform(action: String, fields: [String: String]) async throws {
        switch action {
        case "continue": try await onPassword?(Secret(fields["password"] ?? ""))
        case "dismiss": onCancel?()
        default: try await super.perform(action: action, fields: fields)
        }
    }
}
