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

    @Test func `pop module runs the completion of what it removed`() {
        push("b")
        #expect(stack == ["a", "b"])
        router.popModule()
        #expect(stack == ["a"])
        #expect(journal.take() == ["b is gone"])
        router.popModule()
        #expect(journal.take() == [])
        #expect(stack == ["a"])
    }

    @Test func `pop to the root module runs the completions of all that it removed, the top's first`() {
        push("b")
        router.push(screen("c"))
        push("d")
        router.popToRootModule()
        #expect(stack == ["a"])
        #expect(journal.take() == ["d is gone", "b is gone"])
    }

    @Test func `set root module runs the completions of the whole stack`() {
        push("b")
        router.setRootModule(screen("c"))
        #expect(stack == ["c"])
        #expect(journal.take() == ["b is gone", "a is gone"])
        #expect(!root.isNavigationBarHidden)
        router.setRootModule(screen("d"), hideBar: true)
        #expect(root.isNavigationBarHidden)
        #expect(journal.take() == [])
    }

    @Test func `the user's way back runs the completion too, once`() {
        push("b")
        root.userDidTapBack()
        #expect(journal.take() == ["b is gone"])
        push("c")
        router.popModule()
        #expect(journal.take() == ["c is gone"])
    }

    @Test func `a completion runs when somebody else removed the module`() {
        push("b")
        root.viewControllers = [screen("c")]
        #expect(journal.take() == ["b is gone", "a is gone"])
    }

    @Test func `a completion can push the next module`() {
        router.push(screen("b")) { [router, journal] in
            journal.write("b is gone")
            router.push(ViewController())
        }
        router.popModule()
        #expect(journal.take() == ["b is gone"])
        #expect(root.viewControllers.count == 2)
    }

    @Test func `present shows a module over the stack, dismiss takes it away`() {
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

    @Test func `a router stands for its navigation controller, and presents another one`() {
        #expect(router.toPresent() === root)
        let other = NavigationRouter(rootController: NavigationController())
        router.present(other)
        #expect(root.presentedViewController === other.toPresent())
    }

    @Test func `a navigation controller is not pushed, and nothing is nothing`() {
        router.push(NavigationController()) { [journal] in journal.write("never") }
        router.push(nil)
        router.setRootModule(nil, hideBar: true)
        router.present(nil)
        #expect(stack == ["a"])
        #expect(!root.isNavigationBarHidden)
        #expect(root.presentedViewController == nil)
        #expect(journal.take() == [])
    }
}
