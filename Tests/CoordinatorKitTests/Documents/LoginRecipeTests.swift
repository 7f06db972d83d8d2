import CoordinatorKit
import Testing

/// The coordinator of the recipe "A login": nobody sees the desk without a user, whatever leads to it.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct LoginRecipeTests {
    private let application: Application
    private let session: SceneSession

    init() throws {
        application = Application(delegate: DeskDelegate())
        session = SceneSession(
            persistentIdentifier: "desk",
            configuration: SceneConfiguration(
                name: "Desk", delegateClass: WindowSceneDelegate<DeskCoordinator>.self))
    }

    private func start(restoring state: SceneRestorationState<DeskPage>? = nil, links: DeepLink...) throws -> Window {
        try application.launch()
        session.stateRestorationActivity = try state?.activity()
        try application.requestSceneSessionActivation(session, options: ConnectionOptions(links: links))
        return try #require(session.scene?.window)
    }

    private func logIn(_ name: String?) throws { try application.set(\.deskUser, to: name, for: session) }

    @Test func `A desk that is restored without a user shows the login at once, and the desk after a login`() throws {
        let desk = SceneRestorationState<DeskPage>.Screen(page: .desk, kept: ["note": "for Mei only"])
        let window = try start(restoring: SceneRestorationState(screens: [desk, .init(page: .guest(3))]))
        #expect(window.content.title == "Log in")
        let coordinator = try #require(session.sceneCoordinator as? DeskCoordinator)
        #expect(coordinator.state.screens == [.init(page: .login)])
        try logIn("ada")
        #expect(window.content.title == "Desk")
        #expect(window.content.fields.map(\.value) == [""])
        #expect(coordinator.shownPage == .desk)
    }

    @Test func `A link to the inside leads to the login`() throws {
        let window = try start(links: .url("desk://guest/3"))
        #expect(window.content.title == "Log in")
        try logIn("ada")
        try application.open(.url("desk://guest/3"))
        #expect(window.content.title == "Guest 3")
    }

    @Test func `A logout leaves neither a sheet nor what was typed, and another user begins anew`() async throws {
        let window = try start()
        try logIn("ada")
        try await window.perform(action: "keep", fields: ["note": "ring Mei"])
        try logIn("joe")
        #expect(window.content.fields.map(\.value) == [""])
        try await window.perform(action: "ask")
        #expect(window.content.title == "Sheet")
        try logIn(nil)
        #expect(window.content.title == "Log in")
        #expect(!window.content.actions.contains { $0.name == "dismiss" })
    }

    @Test func `A name that was tried does not stay on the screen`() async throws {
        let window = try start()
        await #expect(throws: (any Error).self) {
            try await window.perform(action: "login", fields: ["name": "mei"])
        }
        #expect(window.content.fields.first?.value == "")
        let coordinator = try #require(session.sceneCoordinator as? DeskCoordinator)
        #expect(coordinator.state.screens == [.init(page: .login)])
    }
}

extension AppDependency {
    @Entry(.session) fileprivate var deskUser: String?
}

private final class DeskDelegate: AppDelegate {
    override func rebuildDependencies() { appDependency = AppDependency() }
}

private enum DeskPage: Page { case login, desk, guest(Int) }

private final class DeskLoginScreen: ViewController {
    @Kept var name = ""

    override var screen: Screen? {
        Screen("Log in") {
            Field("Name", $name, isPrivate: true)
            SecretField("Password")
            Action("Log in", name: "login", style: .main) { [self] fields in
                defer { name = "" }
                #expect(name == "mei")
                guard fields.secret("password").revealed == "difference" else { throw CancellationError() }
            }
        }
    }
}

private final class DeskScreen: ViewController {
    @Kept var note = ""

    override var screen: Screen? {
        Screen("Desk") {
            Field("Note", $note)
            Action("Keep") {}
            Action("Ask") { [self] in present(SheetScreen()) }
        }
    }
}

private final class SheetScreen: ViewController {
    override var screen: Screen? { Screen("Sheet") { Text("The guests of today") } }
}

private final class GuestScreen: ViewController {
    private let number: Int

    init(_ number: Int) {
        self.number = number
        super.init()
    }

    override var screen: Screen? { Screen("Guest \(number)") {} }
}

private final class DeskCoordinator: SceneCoordinator<DeskPage> {
    private var user: String?

    override var initialPage: DeskPage? { .desk }

    override func displayPage(_ page: DeskPage) {
        user = appDependency?.deskUser
        guard page == .login || user != nil else { return display(page: .login) }
        switch page {
        case .login: root(DeskLoginScreen())
        case .desk: root(DeskScreen())
        case .guest(let number): show(GuestScreen(number))
        }
    }

    override func dependenciesDidChange() {
        guard isStarted, appDependency?.deskUser != user else { return }
        dismiss()
        display(page: .desk)
    }

    override func resolve(_ link: DeepLink) throws -> DeskPage {
        guard let path = try link.urlParts()?.path, path.first == "guest", let number = path.last.flatMap({ Int($0) })
        else { throw DeepLinkRefusal(link, "there is no such page") }
        return .guest(number)
    }
}
