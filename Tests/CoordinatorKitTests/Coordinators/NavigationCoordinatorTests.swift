import CoordinatorKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct NavigationCoordinatorTests {
    private let root = NavigationController()
    private let parent: StackCoordinator

    init() {
        parent = StackCoordinator(rootViewController: root)
        parent.start()
    }

    private func screen(_ title: String) -> ViewController {
        let screen = ViewController()
        screen.title = title
        return screen
    }

    private func startChild(of coordinator: NavigationCoordinator, showing titles: String...) -> StackCoordinator {
        let child = StackCoordinator(rootViewController: root)
        coordinator.startChild(child)
        for title in titles { child.show(screen(title)) }
        return child
    }

    // MARK: - Navigating

    @Test func `Show pushes a screen, and pop goes back, but not beyond the first screen`() {
        parent.show(screen("a"))
        parent.show(screen("b"))
        #expect(parent.stack == ["a", "b"])
        #expect(parent.owned == ["a", "b"])
        parent.pop()
        #expect(parent.stack == ["a"])
        #expect(parent.owned == ["a"])
        parent.pop()
        #expect(parent.stack == ["a"])
    }

    @Test func `Showing a screen that is already on the stack does nothing`() {
        let a = screen("a")
        parent.show(a)
        parent.show(screen("b"))
        parent.show(a)
        #expect(parent.stack == ["a", "b"])
        #expect(parent.owned == ["a", "b"])
    }

    @Test func `Root makes one controller the whole stack`() {
        parent.show(screen("a"))
        parent.show(screen("b"))
        parent.root(screen("c"))
        #expect(parent.stack == ["c"])
        #expect(parent.owned == ["c"])
    }

    @Test func `Top replaces the coordinator's last screen, or becomes the root`() {
        parent.top(screen("a"))
        #expect(parent.stack == ["a"])
        parent.show(screen("b"))
        parent.top(screen("c"))
        #expect(parent.stack == ["a", "c"])
        #expect(parent.owned == ["a", "c"])
    }

    @Test func `Pop to one of its controllers goes back there, and to another one does nothing`() {
        let a = screen("a")
        parent.show(a)
        let b = screen("b")
        parent.show(b)
        parent.show(screen("c"))
        parent.show(screen("d"))
        parent.pop(to: screen("e"))
        #expect(parent.stack == ["a", "b", "c", "d"])
        parent.pop(to: b)
        #expect(parent.stack == ["a", "b"])
        #expect(parent.owned == ["a", "b"])
        parent.pop(to: b)
        #expect(parent.stack == ["a", "b"])
        parent.pop(to: a)
        #expect(parent.owned == ["a"])
    }

    @Test func `Going back passes over the screens of children`() {
        let a = screen("a")
        parent.show(a)
        let child = startChild(of: parent, showing: "b", "c")
        parent.pop(to: a)
        #expect(parent.stack == ["a"])
        #expect(parent.owned == ["a"])
        #expect(child.owned == [])

        parent.show(screen("d"))
        child.show(screen("e"))
        parent.pop()
        #expect(parent.stack == ["a"])
        #expect(parent.owned == ["a"])
        #expect(child.owned == [])
    }

    @Test func `Present shows a controller over the root, and dismiss removes it`() {
        let sheet = screen("sheet")
        var steps: [String] = []
        parent.present(sheet) { steps.append("presented") }
        #expect(root.presentedViewController === sheet)
        #expect(sheet.parentCoordinator === parent)
        parent.dismiss { steps.append("dismissed") }
        #expect(root.presentedViewController == nil)
        #expect(steps == ["presented", "dismissed"])
    }

    @Test func `A screen's messages reach the coordinator that showed it`() {
        let (a, b, c) = (screen("a"), screen("b"), screen("c"))
        parent.show(a)
        let child = startChild(of: parent)
        child.show(b)
        child.top(c)
        #expect(a.coordinatingResponder === parent)
        #expect(c.coordinatingResponder === child)
    }

    // MARK: - The user's way back

    @Test func `A back tap of the user is reported, and a pop by the program is not`() {
        parent.show(screen("a"))
        parent.show(screen("b"))
        parent.show(screen("c"))
        parent.pop()
        #expect(parent.backs == [])
        root.userDidTapBack()
        #expect(parent.backs == ["a"])
        #expect(parent.owned == ["a"])
        root.userDidTapBack()
        #expect(parent.backs == ["a"])
        #expect(parent.stack == ["a"])
    }

    @Test func `A child whose last screen the user leaves finishes, and its parent takes the root back`() {
        parent.show(screen("a"))
        let child = startChild(of: parent, showing: "b", "c")
        #expect(root.delegate === child)
        root.userDidTapBack()
        #expect(child.backs == ["b"])
        #expect(parent.backs == [])
        #expect(parent.childCoordinators.count == 1)
        root.userDidTapBack()
        #expect(parent.finished == [ObjectIdentifier(child)])
        #expect(parent.childCoordinators.isEmpty)
        #expect(!child.isStarted)
        #expect(root.delegate === parent)
        #expect(root.parentCoordinator === parent)
        #expect(parent.backs == ["a"])
    }

    @Test func `The sibling whose screen is uncovered takes the root back`() {
        parent.show(screen("a"))
        let first = startChild(of: parent, showing: "b")
        let second = startChild(of: parent, showing: "c")
        root.userDidTapBack()
        #expect(parent.finished == [ObjectIdentifier(second)])
        #expect(root.delegate === first)
        #expect(root.parentCoordinator === first)
        #expect(first.backs == ["b"])
        #expect(parent.backs == [])
        root.userDidTapBack()
        #expect(parent.childCoordinators.isEmpty)
        #expect(root.delegate === parent)
    }

    @Test func `The grandchild whose screen is uncovered takes the root back`() {
        parent.show(screen("a"))
        let child = startChild(of: parent, showing: "b")
        let grandchild = startChild(of: child, showing: "c")
        let second = startChild(of: parent, showing: "d")
        root.userDidTapBack()
        #expect(parent.finished == [ObjectIdentifier(second)])
        #expect(root.delegate === grandchild)
        #expect(grandchild.backs == ["c"])
        root.userDidTapBack()
        #expect(child.finished == [ObjectIdentifier(grandchild)])
        #expect(root.delegate === child)
    }

    @Test func `A child without screens of its own finishes together with its grandchild`() {
        parent.show(screen("a"))
        let child = startChild(of: parent)
        let grandchild = startChild(of: child, showing: "b")
        root.userDidTapBack()
        #expect(child.finished == [ObjectIdentifier(grandchild)])
        #expect(parent.finished == [ObjectIdentifier(child)])
        #expect(root.delegate === parent)
        #expect(parent.backs == ["a"])
    }

    @Test func `A child whose screen is uncovered by leaving the parent's screen takes the root back`() {
        parent.show(screen("a"))
        let child = startChild(of: parent, showing: "b")
        parent.show(screen("c"))
        #expect(root.delegate === parent)
        root.userDidTapBack()
        #expect(parent.owned == ["a"])
        #expect(root.delegate === child)
        #expect(child.backs == ["b"])
        #expect(parent.backs == [])
        root.userDidTapBack()
        #expect(parent.childCoordinators.isEmpty)
        #expect(parent.backs == ["a"])
    }

    @Test func `A parent whose screen is uncovered by leaving a child's screen takes the root back`() {
        parent.show(screen("a"))
        let child = startChild(of: parent, showing: "b")
        parent.show(screen("c"))
        child.show(screen("d"))
        root.userDidTapBack()
        #expect(child.owned == ["b"])
        #expect(child.isStarted)
        #expect(root.delegate === parent)
        #expect(parent.backs == ["c"])
    }

    // MARK: - Finishing

    @Test func `The screens of a finished child are removed`() {
        parent.show(screen("a"))
        let child = startChild(of: parent, showing: "b", "c")
        parent.coordinatorDidFinish(child)
        #expect(parent.stack == ["a"])
        #expect(root.delegate === parent)
        #expect(parent.backs == ["a"])
    }

    @Test func `A finished child with a root of its own leaves the parent's stack unchanged`() {
        parent.show(screen("a"))
        let child = StackCoordinator(rootViewController: NavigationController())
        parent.startChild(child)
        parent.present(child.rootViewController)
        child.show(screen("b"))
        parent.dismiss()
        parent.coordinatorDidFinish(child)
        #expect(parent.childCoordinators.isEmpty)
        #expect(parent.backs == [])

        let above = StackCoordinator(rootViewController: NavigationController())
        let empty = startChild(of: parent)
        empty.startChild(above)
        empty.coordinatorDidFinish(above)
        #expect(parent.childCoordinators.count == 1)
        #expect(empty.isStarted)
    }

    @Test func `A subclass that stops without calling super still releases its screens and the root`() {
        parent.show(screen("a"))
        let child = StubbornStackCoordinator(rootViewController: root)
        parent.startChild(child)
        let b = screen("b")
        child.show(b)
        parent.coordinatorDidFinish(child)
        #expect(parent.stack == ["a"])
        #expect(b.parentCoordinator == nil)
        #expect(root.delegate === parent)
    }

    @Test func `A finished child is freed with its screens`() {
        parent.show(screen("a"))
        weak var child: StackCoordinator?
        weak var shown: ViewController?
        do {
            let made = startChild(of: parent, showing: "b")
            (child, shown) = (made, made.viewControllers.last)
        }
        #expect(child != nil && shown != nil)
        root.userDidTapBack()
        #expect(child == nil)
        #expect(shown == nil)
    }

    // MARK: - Sharing the root

    @Test func `Takeover installs the coordinator's own stack, and each coordinator can take over again`() {
        parent.show(screen("a"))
        parent.show(screen("b"))
        let child = startChild(of: parent, showing: "c", "d")
        child.takeover()
        #expect(parent.stack == ["c", "d"])
        #expect(root.delegate === child)
        parent.takeover()
        #expect(parent.stack == ["a", "b"])
        #expect(root.delegate === parent)
        #expect(root.parentCoordinator === parent)
        #expect(child.owned == ["c", "d"])
    }

    @Test func `When a child that had taken over finishes, its parent shows its own stack again`() {
        parent.show(screen("a"))
        parent.show(screen("b"))
        let child = startChild(of: parent)
        child.root(screen("c"))
        #expect(parent.stack == ["c"])
        parent.coordinatorDidFinish(child)
        #expect(parent.stack == ["a", "b"])
        #expect(root.delegate === parent)
        #expect(parent.backs == ["b"])
    }

    @Test func `A root delegate that is not a coordinator is kept when a screen is shown`() {
        let watcher = StackWatcher()
        root.delegate = watcher
        parent.show(screen("a"))
        parent.show(screen("b"))
        #expect(root.delegate === watcher)
        #expect(watcher.tops == ["a", "b"])
    }
}

private final class StubbornStackCoordinator: NavigationCoordinator {
    override func start() {}
    override func stop() {}
}

@MainActor
private final class StackWatcher: NavigationControllerDelegate {
    private(set) var tops: [String] = []

    func navigationController(
        _ navigationController: NavigationController, didShow viewController: ViewController?,
        removed: [ViewController], byUser: Bool
    ) {
        tops.append(viewController?.title ?? "nothing")
    }
}
