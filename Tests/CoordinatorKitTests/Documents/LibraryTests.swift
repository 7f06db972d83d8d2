import CoordinatorKit
import Testing

/// The snippets of "Coordinator: the library" (radianttap/Coordinator, Library.md). A method of all responders is a
/// protocol of messages here, because Swift cannot override the methods of an extension.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct LibraryTests {
    private let coordinator = Library.AccountCoordinator(rootViewController: NavigationController())
    private let button = Library.LoginButton()

    init() {
        let screen = ViewController()
        screen.view.addSubview(button)
        coordinator.start()
        coordinator.show(screen)
    }

    @Test("accountLogin: a call from a button climbs to the coordinator that handles it")
    func handled() async throws {
        try await button.tap()
        #expect(coordinator.logins == ["ada:difference"])
    }

    @Test("accountLogin: a handler can continue the chain above it")
    func continued() async throws {
        let parent = Library.AccountCoordinator(rootViewController: NavigationController())
        parent.startChild(coordinator: coordinator)
        coordinator.passesOn = true
        try await button.tap()
        #expect(coordinator.logins == ["ada:difference"])
        #expect(parent.logins == ["ada:difference"])
    }

    @Test("accountLogin: a call that nobody handles is an error, which names the responders that it climbed past")
    func unhandled() async throws {
        coordinator.passesOn = true
        let error = try await #require(throws: MessageError.self) { try await button.tap() }
        #expect(error.code == .unhandled)
        #expect(error.path == ["LoginButton", "View", "ViewController", "AccountCoordinator"])
    }

    @Test("coordinatingResponder: the chain of a screen is the same, pushed, presented or embedded")
    func everywhere() {
        let (pushed, presented, embedded) = (ViewController(), ViewController(), ViewController())
        coordinator.show(pushed)
        coordinator.present(presented)
        pushed.addChild(embedded)
        #expect(pushed.coordinatingResponder === coordinator)
        #expect(presented.coordinatingResponder === coordinator)
        #expect(embedded.coordinatingResponder === pushed)
        #expect(embedded.containingCoordinator === coordinator)
    }
}

enum Library {
    final class LoginButton: View {
        func tap() async throws {
            try await chain.accountLogin(username: "ada", password: "difference")
        }
    }

    final class AccountCoordinator: NavigationCoordinator, LibraryMessages {
        private(set) var logins: [String] = []
        var passesOn = false

        func accountLogin(username: String, password: String) async throws {
            logins.append("\(username):\(password)")
            guard passesOn else { return }
            try await coordinatingResponder.chain.accountLogin(
                username: username,
                password: password
            )
        }
    }
}

@ResponderMessages
protocol LibraryMessages {
    func accountLogin(
        username: String,
        password: String
    ) async throws
}

extension ResponderChain: LibraryMessages {}
