import AccountMessages
import CoordinatorKit

/// The flow in which the user who is logged in changes the password, in two steps. It shows its screens with a router,
/// and does not know where they are.
///
/// The current password comes last, so that the flow keeps nothing that would let the next person in front of the screen
/// finish it.
@MainActor
final class PasswordFlow: Coordinator<ViewController>, FlowOutput {
    var finishFlow: (() -> Void)?
    /// Called when the password is changed, before the flow ends.
    var onChange: (() -> Void)?

    private let router: any Router

    init(router: any Router) {
        self.router = router
        super.init(rootViewController: router.toPresent() ?? ViewController())
    }

    override func start() {
        let step = NewPasswordViewController()
        step.onPassword = { [weak self] password in self?.askForCurrentPassword(new: password) }
        step.onCancel = { [weak self] in self?.finishFlow?() }
        router.setRootModule(step)
    }

    override func stop() {
        // A request that is still on its way has nothing left to finish.
        finishFlow = nil
        onChange = nil
        super.stop()
    }

    private func askForCurrentPassword(new: Secret<String>) {
        let step = CurrentPasswordViewController()
        step.onPassword = { [weak self, weak step] password in
            guard let self, let step else { return }
            try await step.chain.accountChangePassword(password: password, newPassword: new)
            onChange?()
            finishFlow?()
        }
        step.onCancel = { [weak self] in self?.finishFlow?() }
        router.push(step)
    }
}
