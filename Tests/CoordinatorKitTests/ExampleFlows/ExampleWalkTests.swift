import CBOR
import CoordinatorKit
import Testing

/// A user's path through the whole example, with its real screens in a scene.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ExampleWalkTests {
    private let application = Application(
        configurations: [SceneConfiguration(name: "Example", delegateClass: ExampleSceneDelegate.self)])
    private let session: SceneSession
    private let window: Window
    private let coordinator: ExampleApplicationCoordinator

    init() throws {
        try application.launch()
        session = try application.requestSceneSessionActivation()
        window = try #require(session.scene?.window)
        coordinator = try #require((session.scene?.delegate as? ExampleSceneDelegate)?.coordinator)
    }

    /// Performs an action and returns what the user sees afterwards.
    private func after(_ action: String, _ fields: [String: String] = [:]) async throws -> String {
        try await window.perform(action: action, fields: fields)
        return window.content.title
    }

    /// The running flows, each with its child flows.
    private var flows: [String] {
        func list(_ coordinator: any Coordinating) -> [String] {
            [coordinator.identifier] + coordinator.childCoordinators.flatMap(list)
        }
        return coordinator.childCoordinators.flatMap(list)
    }

    private func logIn() async throws {
        _ = try await after("finish")
        _ = try await after("login")
    }

    @Test func `A new user reaches the items through onboarding, sign up and terms`() async throws {
        #expect(window.content.title == "Welcome")
        #expect(flows == ["OnboardingCoordinator"])
        #expect(try await after("finish") == "Login")
        #expect(flows == ["AuthCoordinator"])
        #expect(try await after("signUp") == "Sign up")
        #expect(window.content.texts == ["not agreed"])
        #expect(try await after("signUp") == "Sign up")
        #expect(try await after("terms") == "Terms")
        #expect(try await after("toggle") == "Terms")
        #expect(try await after("back") == "Sign up")
        #expect(window.content.texts == ["agreed"])
        #expect(try await after("back") == "Login")
        let auth = try #require(coordinator.child(matching: AuthCoordinator.self))
        #expect(auth.abandonedSignUps == 1)
        #expect(try await after("signUp") == "Sign up")
        #expect(try await after("terms") == "Terms")
        #expect(window.content.texts == ["not agreed"])
        #expect(try await after("toggle") == "Terms")
        #expect(try await after("back") == "Sign up")
        #expect(try await after("signUp") == "Items")
        #expect(flows == ["TabCoordinator", "ItemCoordinator"])
    }

    @Test func `Items are listed, shown and created`() async throws {
        try await logIn()
        #expect(window.content.title == "Items")
        #expect(try await after("select", ["title": "lamp"]) == "lamp")
        #expect(try await after("back") == "Items")
        #expect(try await after("create") == "Create")
        #expect(flows == ["TabCoordinator", "ItemCoordinator", "ItemCreationCoordinator"])
        #expect(try await after("hide") == "Items")
        #expect(flows == ["TabCoordinator", "ItemCoordinator"])
        #expect(try await after("create") == "Create")
        #expect(try await after("save", ["title": "chair"]) == "chair")
        #expect(flows == ["TabCoordinator", "ItemCoordinator"])
        #expect(try await after("back") == "Items")
    }

    @Test func `Tabs keep what they show, and logging out in the settings leads to the login`() async throws {
        try await logIn()
        #expect(try await after("select", ["title": "lamp"]) == "lamp")
        #expect(try await after("tab:1") == "Settings")
        #expect(flows == ["TabCoordinator", "ItemCoordinator", "SettingsCoordinator"])
        #expect(try await after("tab:0") == "lamp")
        #expect(try await after("tab:1") == "Settings")
        #expect(flows == ["TabCoordinator", "ItemCoordinator", "SettingsCoordinator"])
        weak let tabs = coordinator.child(matching: TabCoordinator.self)
        #expect(tabs != nil)
        #expect(try await after("logOut") == "Login")
        #expect(flows == ["AuthCoordinator"])
        #expect(tabs == nil)
        #expect(try await after("login") == "Items")
    }

    @Test func `A link shows an item or starts another flow`() async throws {
        try await logIn()
        let item = DeepLink.notification(["launch_id": "item", "item_id": "lamp"])
        try application.requestSceneSessionActivation(session, options: ConnectionOptions(links: [item]))
        #expect(window.content.title == "lamp")
        let login = DeepLink.notification(["launch_id": "login"])
        try application.requestSceneSessionActivation(session, options: ConnectionOptions(links: [login]))
        #expect(window.content.title == "Login")
        #expect(flows == ["AuthCoordinator"])
    }

    @Test func `An action that the screen does not offer is refused`() async {
        await #expect(throws: ScreenActionError.unknownAction("login", available: ["finish"])) {
            try await window.perform(action: "login")
        }
    }

    @Test func `Disconnecting the scene frees every flow`() async throws {
        try await logIn()
        weak let tabs = coordinator.child(matching: TabCoordinator.self)
        #expect(tabs != nil)
        let scene = try #require(session.scene)
        application.disconnect(scene)
        #expect(flows == [])
        #expect(tabs == nil)
    }
}
