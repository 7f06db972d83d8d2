import AccountMessages
import CoordinatorKit

/// The flow in which the user who is logged in changes the password, in two steps. It shows its screens with a router,
/// and does not know where they are.
@MainActor
final class PasswordFlow: Coordinator<ViewController>, FlowOutput {
    var finishFlow: (() -> Void)?

    private let router: any Router

    init(router: any Router) {
        self.router = router
        super.init(rootViewController: router.toPresent() ?? ViewController())
    }

    override func start() {
        let step = PasswordViewController(.current)
        step.onPassword = { [weak self] password in self?.askForNewPassword(current: password) }
        step.onCancel = { [weak self] in self?.finishFlow?() }
        router.setRootModule(step)
    }

    private func askForNewPassword(current: String) {
        let step = PasswordViewController(.new)
        step.onPassword = { [weak self, weak step] password in
            guard let self, let step else { return }
            try await step.chain.accountChangePassword(password: current, newPassword: password)
            finishFlow?()
        }
        step.onCancel = { [weak self] in self?.finishFlow?() }
        router.push(step)
    }
}
