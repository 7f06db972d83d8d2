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

    /// The field of the topmost screen for a password.
    private func field(_ session: SceneSession) throws -> FieldBlock {
        try #require(session.scene?.window?.layers.layers.last?.fields["password"])
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

    @Test func `A process stays in its row while it is among the busiest, and a new one takes the place of another`()
        async throws
    {
        func show(_ pids: Int32...) { delegate.appDependency?.processes = pids.map(process) }
        show(10, 2, 7)
        let session = try await openLoggedIn()
        try await act(session, "tab:1")
        func rows() throws -> [String] { try content(session).items.map(\.id) }
        #expect(try rows() == ["10", "2", "7"])
        show(7, 10, 2)
        #expect(try rows() == ["10", "2", "7"])
        show(99, 7, 10)
        #expect(try rows() == ["10", "99", "7"])
        show(7, 10, 2, 99)
        #expect(try rows() == ["10", "99", "7", "2"])
        show(2)
        #expect(try rows() == ["2"])
        #expect(try content(session).items.first?.detail.hasPrefix("2  ") == true)
    }

    // MARK: - Sessions

    @Test func `While there is no account, the first screen is for the first one, and then it is for the login`()
        async throws
    {
        delegate.appDependency?.accountsExist = false
        let session = try open()
        #expect(try content(session).title == "Create the first account")
        #expect(try content(session).actions.map(\.name) == ["create", "overview"])
        delegate.appDependency?.accountsExist = true
        #expect(try content(session).title == "Log in")
        #expect(try content(session).actions.map(\.name) == ["login", "overview"])
    }

    @Test func `An alert has one word for its level, on its page and in the list`() async throws {
        delegate.appDependency?.alerts = [alert("disk"), alert("cpu", .error)]
        let session = try await openLoggedIn()
        try application.open(.url("controlroom://alerts"))
        #expect(try content(session).items.map(\.title) == ["disk", "cpu"])
        let words = try content(session).items.map(\.detail)
        #expect(words[0].contains("Warning") && words[1].contains("Error"))
        try application.open(.url("controlroom://alert/cpu"))
        let layer = try #require(session.scene?.window?.layers.layers.last)
        #expect(layer.blocks.contains { if case .text(let text) = $0.block { text.level == .error } else { false } })
        #expect(try content(session).texts.contains("Level: Error"))
    }

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
        let first = try #require(session.scene?.window?.layers.layers.last?.key)
        try await act(session, "continue", ["password": "analytical"])
        #expect(try content(session).title == "Current password")
        // What was typed for one step is not for the other.
        #expect(session.scene?.window?.layers.layers.last?.key != first)
        try await act(session, "continue", ["password": "difference"])
        #expect(delegate.password == "analytical")
        #expect(try content(session).title == "Settings")
        #expect(try content(session).texts.first == "Your password is changed.")
        // It is news once.
        try application.open(.url("controlroom://alerts"))
        try await act(session, "back")
        #expect(try content(session).title == "Settings")
        #expect(try content(session).texts.first == "Logged in as Ada (ada)")
        #expect(session.sceneCoordinator?.childCoordinators.contains { $0.identifier == "PasswordFlow" } == false)
    }

    @Test(arguments: ["", "short", String(repeating: "x", count: 1025), "with a \0 in it"])
    func `A new password that cannot be one is refused at its field, before the current one is asked for`(
        password: String
    ) async throws {
        let session = try await openLoggedIn()
        try await act(session, "settings")
        try await act(session, "changePassword")
        #expect(try field(session).error.isEmpty && field(session).hint == "At least 8 characters")
        try await act(session, "continue", ["password": password])
        #expect(try content(session).title == "New password")
        #expect(try field(session).error.contains("password"))
        try await act(session, "continue", ["password": "analytical"])
        #expect(try content(session).title == "Current password")
        #expect(try field(session).error.isEmpty)
    }

    @Test func `A refused password leaves the flow where it is, and the user can go back`() async throws {
        let session = try await openLoggedIn()
        try await act(session, "settings")
        try await act(session, "changePassword")
        try await act(session, "continue", ["password": "analytical"])
        try await act(session, "continue", ["password": "wrong"])
        #expect(try content(session).title == "Current password")
        #expect(try field(session).error.contains("WrongPassword"))
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
        #expect(try content(session).texts.first == "disk")
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

private func process(_ pid: Int32) -> ProcessUsage {
    ProcessUsage(
        pid: pid, name: "sleep", state: .sleeping, cpuFraction: 0.5, residentBytes: 1024, threads: 1, userID: nil)
}

private func alert(_ id: String, _ level: AlertLevel = .warning) -> Alert {
    Alert(id: id, level: level, title: id, detail: "", value: 1, threshold: 1, raisedAt: 0)
}
