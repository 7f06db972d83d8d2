import AccountMessages
public import CoordinatorKit

/// The top coordinator of a control-room scene, which passes each page to the child that shows it.
@MainActor
public final class ControlRoomCoordinator: SceneCoordinator<ControlRoomPage>, GlobalMessages {
    private var lastAccount: Account?

    public override var initialPage: ControlRoomPage? { appDependency?.account == nil ? .login : .overview }

    public override func resolve(_ link: DeepLink) throws -> ControlRoomPage {
        try ControlRoomPage.resolve(link)
    }

    func globalDisplay(page: ControlRoomPage) {
        display(page: page)
    }

    public override func displayPage(_ page: ControlRoomPage) {
        // The page would be below the sheet.
        child(matching: PasswordFlow.self)?.finishFlow?()
        switch page {
        case .login, .settings:
            showChild(at: page) { AccountCoordinator(rootViewController: rootViewController) }
        case .overview, .process:
            showChild(at: page) { MachineCoordinator(rootViewController: rootViewController) }
        case .alerts, .alert:
            showChild(at: page) { AlertsCoordinator(rootViewController: rootViewController) }
        }
    }

    func globalChangePassword() {
        let flow = PasswordFlow(router: NavigationRouter(rootController: NavigationController()))
        flow.finishFlow = { [weak self, weak flow] in
            guard let self, let flow else { return }
            dismiss()
            stopChild(flow)
        }
        flow.onChange = { [weak self] in
            (self?.rootViewController.topViewController as? SettingsViewController)?.hasNewPassword = true
        }
        startChild(flow)
        present(flow.rootViewController)
    }

    public override func dependenciesDidChange() {
        let account = appDependency?.account
        let before = lastAccount
        lastAccount = account
        guard isStarted, account?.username != before?.username else { return }
        // It was the flow of the user before.
        child(matching: PasswordFlow.self)?.finishFlow?()
        if account == nil {
            display(page: .login)
        } else if rootViewController.topViewController is LoginViewController {
            display(page: .overview)
        }
    }
}
