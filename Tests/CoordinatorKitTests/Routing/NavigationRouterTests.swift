import CoordinatorKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct NavigationRouterTests {
    private let root = NavigationController()
    private let router: NavigationRouter
    private let journal = Journal()

    init() {
        router = NavigationRouter(rootController: root)
        push("a")
    }

    private func screen(_ title: String) -> ViewController {
        let screen = ViewController()
        screen.title = title
        return screen
    }

    private func push(_ title: String) {
        router.push(screen(title)) { [journal] in journal.write("\(title) is gone") }
    }

    private var stack: [String] { root.viewControllers.map { $0.title ?? "?" } }

    @Test func `Popping a module runs the completion of the removed module`() {
        push("b")
        #expect(stack == ["a", "b"])
        router.popModule()
        #expect(stack == ["a"])
        #expect(journal.take() == ["b is gone"])
        router.popModule()
        #expect(journal.take() == [])
        #expect(stack == ["a"])
    }

    @Test func `Popping to the root module runs the completions of all removed modules, the top's first`() {
        push("b")
        router.push(screen("c"))
        push("d")
        router.popToRootModule()
        #expect(stack == ["a"])
        #expect(journal.take() == ["d is gone", "b is gone"])
    }

    @Test func `Setting the root module runs the completions of the whole stack`() {
        push("b")
        router.setRootModule(screen("c"))
        #expect(stack == ["c"])
        #expect(journal.take() == ["b is gone", "a is gone"])
        #expect(!root.isNavigationBarHidden)
        router.setRootModule(screen("d"), hideBar: true)
        #expect(root.isNavigationBarHidden)
        #expect(journal.take() == [])
    }

    @Test func `A back tap of the user runs the completion, once`() {
        push("b")
        root.userDidTapBack()
        #expect(journal.take() == ["b is gone"])
        push("c")
        router.popModule()
        #expect(journal.take() == ["c is gone"])
    }

    @Test func `A completion runs when other code removes the module`() {
        push("b")
        root.viewControllers = [screen("c")]
        #expect(journal.take() == ["b is gone", "a is gone"])
    }

    @Test func `A completion can push the next module`() {
        router.push(screen("b")) { [router, journal] in
            journal.write("b is gone")
            router.push(ViewController())
        }
        router.popModule()
        #expect(journal.take() == ["b is gone"])
        #expect(root.viewControllers.count == 2)
    }

    @Test func `Present shows a module over the stack, and dismiss removes it`() {
        let sheet = screen("sheet")
        router.present(sheet)
        #expect(root.presentedViewController === sheet)
        router.dismissModule { [journal] in journal.write("dismissed") }
        #expect(root.presentedViewController == nil)
        #expect(journal.take() == ["dismissed"])
        router.present(sheet)
        router.dismissModule()
        #expect(root.presentedViewController == nil)
    }

    @Test func `A router presents the navigation controller of another router`() {
        #expect(router.toPresent() === root)
        let other = NavigationRouter(rootController: NavigationController())
        router.present(other)
        #expect(root.presentedViewController === other.toPresent())
    }

    @Test func `A navigation controller is not pushed, and nil is ignored`() {
        router.push(NavigationController()) { [journal] in journal.write("never") }
        router.push(nil)
        router.setRootModule(nil, hideBar: true)
        router.present(nil)
        #expect(stack == ["a"])
        #expect(!root.isNavigationBarHidden)
        #expect(root.presentedViewController == nil)
        #expect(journal.take() == [])
    }

    @Test func `A module that hides the tabs does so while it is on the stack`() async throws {
        let tabs = TabBarController(viewControllers: [root, screen("other")])
        func offersTabs() -> Bool { tabs.content.actions.contains { $0.name == "tab:1" } }
        #expect(offersTabs())
        router.push(screen("b"), hideBottomBar: true)
        #expect(!offersTabs())
        await #expect(throws: ScreenActionError.self) { try await tabs.perform(action: "tab:1", fields: [:]) }
        router.push(screen("c"))
        #expect(!offersTabs())
        router.popToRootModule()
        #expect(offersTabs())
    }
}
