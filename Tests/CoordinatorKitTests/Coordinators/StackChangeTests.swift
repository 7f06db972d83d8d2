import CoordinatorKit
import Testing

/// Code that is no coordinator changes a stack that coordinators share: a screen, a router, an application's own code.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct StackChangeTests {
    private let root = NavigationController()
    private let parent: StackCoordinator

    init() {
        parent = StackCoordinator(rootViewController: root)
        parent.start()
    }

    private func startChild(of coordinator: NavigationCoordinator, showing titles: String...) -> StackCoordinator {
        let child = StackCoordinator(rootViewController: root)
        coordinator.startChild(child)
        for title in titles { child.show(screen(title)) }
        return child
    }

    @Test func `After a pop, the coordinator replaces and leaves the screen that is on top now`() {
        parent.show(screen("a"))
        parent.show(screen("b"))
        root.popViewController()
        #expect(parent.owned == ["a"])
        #expect(parent.backs == ["a"])
        parent.top(screen("c"))
        #expect(parent.stack == ["c"])
        #expect(parent.owned == ["c"])
    }

    @Test func `A child whose last screen was popped finishes, and its parent takes the root back`() {
        parent.show(screen("a"))
        let child = startChild(of: parent, showing: "b", "c")
        root.popToRootViewController()
        #expect(parent.finished == [ObjectIdentifier(child)])
        #expect(parent.childCoordinators.isEmpty)
        #expect(!child.isStarted)
        #expect(root.delegate === parent)
        #expect(parent.backs == ["a"])
    }

    @Test func `A pop over several coordinators finishes each of them`() {
        parent.show(screen("a"))
        let child = startChild(of: parent, showing: "b")
        let grandchild = startChild(of: child, showing: "c")
        let sibling = startChild(of: parent, showing: "d")
        root.popToRootViewController()
        #expect(!child.isStarted)
        #expect(!grandchild.isStarted)
        #expect(!sibling.isStarted)
        #expect(parent.childCoordinators.isEmpty)
        #expect(root.delegate === parent)
    }

    @Test func `A screen that others push belongs to the coordinator that owns the root`() {
        parent.show(screen("a"))
        let child = startChild(of: parent, showing: "b")
        let pushed = screen("c")
        root.pushViewController(pushed)
        #expect(child.owned == ["b", "c"])
        #expect(pushed.parentCoordinator === child)
        child.top(screen("d"))
        #expect(parent.stack == ["a", "b", "d"])
    }

    @Test func `A replaced stack takes from each coordinator what is gone`() {
        let a = screen("a")
        parent.show(a)
        let child = startChild(of: parent, showing: "b", "c")
        root.viewControllers = [a, screen("d")]
        #expect(parent.owned == ["a", "d"])
        #expect(!child.isStarted)
        #expect(root.delegate === parent)
    }

    @Test func `A change is noticed even if the root's delegate is not a coordinator`() {
        parent.show(screen("a"))
        parent.show(screen("b"))
        let watcher = Watcher()
        root.delegate = watcher
        root.popViewController()
        #expect(parent.owned == ["a"])
        #expect(root.delegate === watcher)
    }

    @Test func `A change that a screen makes while its coordinator shows it is noticed`() {
        parent.show(screen("a"))
        let impatient = ImpatientScreen()
        let window = Window()
        window.rootViewController = root
        window.makeKeyAndVisible()
        parent.show(impatient)
        #expect(parent.stack == ["a"])
        #expect(parent.owned == ["a"])
    }

    @Test func `Going back past the screens of a child finishes it`() {
        let a = screen("a")
        parent.show(a)
        let child = startChild(of: parent, showing: "b")
        parent.show(screen("c"))
        parent.pop(to: a)
        #expect(!child.isStarted)
        #expect(parent.childCoordinators.isEmpty)
        #expect(parent.owned == ["a"])
    }

    @Test func `A child does not take over a screen that was there before it, and finishes`() {
        let root = NavigationController(rootViewController: screen("home"))
        let parent = StackCoordinator(rootViewController: root)
        parent.start()
        let child = StackCoordinator(rootViewController: root)
        parent.startChild(child)
        child.show(screen("a"))
        root.userDidTapBack()
        #expect(parent.finished == [ObjectIdentifier(child)])
        #expect(root.viewControllers.map(\.title) == ["home"])
    }

    @Test func `A stack that replaces all of a child's screens goes to its parent`() {
        parent.show(screen("a"))
        let child = startChild(of: parent, showing: "b")
        root.setViewControllers([screen("login")])
        #expect(!child.isStarted)
        #expect(parent.owned == ["login"])
        #expect(parent.stack == ["login"])
    }

    @Test func `A screen that is the root of a running coordinator keeps it`() {
        let form = ViewController()
        parent.show(form)
        let child = Coordinator(rootViewController: form)
        parent.startChild(child)
        parent.show(screen("detail"))
        #expect(form.parentCoordinator === child)
        root.popViewController()
        #expect(form.parentCoordinator === child)
    }

    @Test func `A coordinator's saved list is shown again by taking over`() {
        parent.show(screen("a"))
        parent.show(screen("b"))
        let saved = parent.viewControllers
        parent.root(screen("c"))
        parent.viewControllers = saved
        #expect(parent.stack == ["c"])
        parent.takeover()
        #expect(parent.stack == ["a", "b"])
        parent.pop(animated: true)
        #expect(parent.stack == ["a"])
    }
}

@MainActor
private func screen(_ title: String) -> ViewController {
    let screen = ViewController()
    screen.title = title
    return screen
}

/// Leaves the stack as soon as it appears.
private final class ImpatientScreen: ViewController {
    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        navigationController?.popViewController(animated: animated)
    }
}

@MainActor
private final class Watcher: NavigationControllerDelegate {
    func navigationController(
        _ navigationController: NavigationController, didShow viewController: ViewController?,
        removed: [ViewController], byUser: Bool
    ) {}
}
