import AccountMessages
import CBOR
import ControlRoomScenes
import CoordinatorKit
import MachineMessages
import MachineModel
import Messaging
import Testing

/// The control room's scenes in one process, with a delegate in place of the host and its plugins.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ControlRoomTests {
    private let delegate = HostMock()
    private let application: Application

    init() throws {
        application = Application(
            delegate: delegate,
            configurations: [
                SceneConfiguration(name: "ControlRoom", delegateClass: WindowSceneDelegate<ControlRoomCoordinator>.self)
            ])
        try application.launch()
        delegate.appDependency?.accountsExist = true
        delegate.appDependency?.alerts = [alert("disk")]
        delegate.appDependency?.processes = []
    }

    private func open() throws -> SceneSession { try application.requestSceneSessionActivation() }

    private func openLoggedIn() async throws -> SceneSession {
        let session = try open()
        try await act(session, "login", ["username": "ada", "password": "difference"])
        return session
    }

    private func content(_ session: SceneSession) throws -> ScreenContent {
        try #require(session.scene?.window).content
    }

    private func act(_ session: SceneSession, _ action: String, _ fields: [String: String] = [:]) async throws {
        try await #require(session.scene?.window).perform(action: action, fields: fields)
    }

    /// Ends a session's scene and makes it again from its state, as when its worker is killed.
    private func restart(_ session: SceneSession) throws {
        application.disconnect(try #require(session.scene))
        try application.requestSceneSessionActivation(session)
    }

    // MARK: - Tabs

    @Test func `The overview has two tabs, and a scene that is restored shows the one that was selected`() async throws
    {
        let session = try await openLoggedIn()
        #expect(try content(session).title == "Overview")
        try await act(session, "tab:1")
        #expect(try content(session).title == "Processes")
        try restart(session)
        #expect(try content(session).title == "Processes")
        try await act(session, "tab:0")
        #expect(try content(session).texts.first == "Logged in as Ada")
    }

    // MARK: - Sessions

    @Test func `A login is that of its session, and another scene goes on without one`() async throws {
        let other = try open()
        let session = try await openLoggedIn()
        #expect(try content(session).texts.first == "Logged in as Ada")
        #expect(try content(other).title == "Log in")
        try await act(other, "overview")
        #expect(try content(other).texts.first == "No user is logged in")
        try await act(session, "settings")
        try await act(session, "logout")
        #expect(try content(session).title == "Log in")
        #expect(try content(other).title == "Overview")
    }

    @Test func `A scene that is made again is still logged in`() async throws {
        let session = try await openLoggedIn()
        try restart(session)
        #expect(try content(session).texts.first == "Logged in as Ada")
    }

    // MARK: - The password flow

    @Test func `The password is changed in a flow of two steps, which ends its sheet`() async throws {
        let session = try await openLoggedIn()
        try await act(session, "settings")
        try await act(session, "changePassword")
        #expect(try content(session).title == "New password")
        try await act(session, "continue", ["password": "analytical"])
        #expect(try content(session).title == "Current password")
        try await act(session, "continue", ["password": "difference"])
        #expect(delegate.password == "analytical")
        #expect(try content(session).title == "Settings")
        #expect(session.sceneCoordinator?.childCoordinators.contains { $0.identifier == "PasswordFlow" } == false)
    }

    @Test func `A refused password leaves the flow where it is, and the user can go back`() async throws {
        let session = try await openLoggedIn()
        try await act(session, "settings")
        try await act(session, "changePassword")
        try await act(session, "continue", ["password": "analytical"])
        await #expect(throws: WrongPassword.self) {
            try await act(session, "continue", ["password": "wrong"])
        }
        #expect(try content(session).title == "Current password")
        try await act(session, "back")
        #expect(try content(session).title == "New password")
        #expect(delegate.password == "difference")
    }

    @Test(arguments: ["cancel", "link", "logout", "another user"])
    func `The password flow ends when it is cancelled, when a link is opened, and with the login of its user`(
        by end: String
    ) async throws {
        let session = try await openLoggedIn()
        try await act(session, "settings")
        try await act(session, "changePassword")
        switch end {
        case "cancel":
            try await act(session, "dismiss")
            #expect(try content(session).title == "Settings")
        case "link":
            try application.open(.url("controlroom://alerts"))
            #expect(try content(session).title == "Alerts")
        case "another user":
            try application.set(\.account, to: Account(username: "bob", displayName: "Bob"), for: session)
            #expect(try content(session).title == "Settings")
        default:
            try application.set(\.account, to: nil, for: session)
            #expect(try content(session).title == "Log in")
        }
        #expect(session.sceneCoordinator?.childCoordinators.contains { $0.identifier == "PasswordFlow" } == false)
    }

    // MARK: - Taking the screens back

    @Test func `The login page is as the user left it when it takes the screens back`() async throws {
        let session = try open()
        await #expect(throws: WrongPassword.self) {
            try await act(session, "login", ["username": "ada", "password": "wrong"])
        }
        try await act(session, "overview")
        #expect(try content(session).title == "Overview")
        try await act(session, "login")
        #expect(try content(session).fields.first?.value == "ada")
        #expect(try content(session).actions.contains { $0.name == "back" } == false)
    }

    @Test func `The overview takes the screens back without the pages above it`() async throws {
        let session = try await openLoggedIn()
        try await act(session, "tab:1")
        try application.open(.url("controlroom://process/1"))
        try application.set(\.account, to: nil, for: session)
        #expect(try content(session).title == "Log in")
        try await act(session, "overview")
        #expect(try content(session).title == "Processes")
    }

    @Test func `Pages that were replaced at a logout are not shown again, and do not pile up`() async throws {
        let session = try await openLoggedIn()
        try application.open(.url("controlroom://alerts"))
        try application.set(\.account, to: nil, for: session)
        try await act(session, "login", ["username": "ada", "password": "difference"])
        for _ in 0..<3 { try application.open(.url("controlroom://alerts")) }
        let navigation = try #require(session.scene?.window?.rootViewController as? NavigationController)
        #expect(navigation.viewControllers.count == 2)
        #expect(try content(session).title == "Alerts")
    }

    @Test func `The login page does not show the next user who was logged in before`() async throws {
        let session = try await openLoggedIn()
        try application.set(\.account, to: nil, for: session)
        #expect(try content(session).fields.first?.value == "")
    }

    // MARK: - Queued messages

    @Test func `A link to an alert waits until the alerts are known`() async throws {
        delegate.appDependency?.alerts = nil
        let session = try await openLoggedIn()
        try application.open(.notification(["alert": "disk"]))
        #expect(try content(session).texts == ["The alerts of this machine are not known yet."])
        delegate.appDependency?.processes = []
        #expect(try content(session).title == "Alerts")
        delegate.appDependency?.alerts = [alert("disk")]
        #expect(try content(session).title == "Alert disk")
        #expect(try content(session).texts.first == "warning: disk")
    }

    @Test func `A link that waits for the alerts is forgotten when the user goes elsewhere`() async throws {
        delegate.appDependency?.alerts = nil
        let session = try await openLoggedIn()
        try application.open(.notification(["alert": "disk"]))
        try await act(session, "back")
        delegate.appDependency?.alerts = [alert("disk")]
        #expect(try content(session).title == "Overview")
    }
}

private func alert(_ id: String) -> Alert {
    Alert(id: id, level: .warning, title: id, detail: "", value: 1, threshold: 1, raisedAt: 0)
}

/// The host: it has one account, whose password is `difference`.
private final class HostMock: AppDelegate, AccountMessages {
    var password = "difference"

    override func rebuildDependencies() {
        appDependency = AppDependency()
    }

    private func check(_ password: String) throws {
        guard password == self.password else {
            throw WrongPassword()
        }
    }

    func accountLogin(username: String, password: Secret<String>) async throws -> Account {
        try check(password.revealed)
        let account = Account(username: username, displayName: "Ada")
        try setForSender(account)
        return account
    }

    func accountLogout() async throws { try setForSender(nil) }

    func accountCheck(username: String, password: Secret<String>) async throws -> Account {
        try check(password.revealed)
        return Account(username: username, displayName: "Ada")
    }

    private func setForSender(_ account: Account?) throws {
        guard let application, let session = application.sendingSession else { return }
        try application.set(\.account, to: account, for: session)
    }

    func accountCreate(username: String, password: Secret<String>, displayName: String?) async throws -> Account {
        Account(username: username, displayName: displayName ?? username)
    }

    func accountChangePassword(password: Secret<String>, newPassword: Secret<String>) async throws {
        try check(password.revealed)
        self.password = newPassword.revealed
    }
}

private struct WrongPassword: Error {}
