import CoordinatorKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct CoordinatorTests {
    private let parent = StubbornCoordinator()

    @Test func `Two children of one type run side by side`() {
        let (first, second) = (LifeCoordinator(), LifeCoordinator())
        parent.startChild(first)
        parent.startChild(second)
        #expect(parent.childCoordinators.map(ObjectIdentifier.init) == [first, second].map(ObjectIdentifier.init))
        #expect(parent.child(matching: LifeCoordinator.self) === first)
        parent.stopChild(first)
        #expect(first.life == ["start", "stop"])
        #expect(second.life == ["start"])
        #expect(parent.child(matching: LifeCoordinator.self) === second)
        #expect(parent.child(matching: CounterCoordinator.self) == nil)
    }

    @Test func `A child that is added twice is added and started once`() {
        let child = LifeCoordinator()
        parent.startChild(child)
        parent.startChild(child)
        #expect(parent.childCoordinators.count == 1)
        #expect(child.life == ["start"])
        #expect(child.parent === parent)
    }

    @Test func `Stopping a coordinator that is not a child does nothing`() {
        let (child, stranger, strangersParent) = (LifeCoordinator(), LifeCoordinator(), StubbornCoordinator())
        parent.startChild(child)
        strangersParent.startChild(stranger)
        parent.stopChild(stranger)
        #expect(parent.childCoordinators.count == 1)
        #expect(stranger.life == ["start"])
        #expect(stranger.parent === strangersParent)
    }

    @Test func `A child can be matched by a protocol`() {
        let basket = BasketCoordinator(rootViewController: NavigationController())
        parent.startChild(LifeCoordinator())
        parent.startChild(basket)
        #expect(parent.child(matching: (any PageDisplaying).self) === basket)
    }

    @Test func `A child that reports that it has finished is stopped and removed`() {
        let (child, other) = (LifeCoordinator(), LifeCoordinator())
        parent.startChild(child)
        parent.startChild(other)
        child.parent?.coordinatorDidFinish(child)
        #expect(child.life == ["start", "stop"])
        #expect(child.parent == nil)
        #expect(parent.childCoordinators.count == 1)
        #expect(other.isStarted)
    }

    @Test func `A subclass that never calls super is still started and stopped`() {
        let child = StubbornCoordinator()
        parent.startChild(child)
        #expect(child.isStarted)
        #expect(child.rootViewController.parentCoordinator === child)
        let grandchild = LifeCoordinator()
        child.startChild(grandchild)
        child.enqueueMessage {}
        parent.stopChild(child)
        #expect(!child.isStarted)
        #expect(child.rootViewController.parentCoordinator == nil)
        #expect(child.childCoordinators.isEmpty)
        #expect(child.queuedMessages.isEmpty)
        #expect(grandchild.life == ["start", "stop"])
    }

    @Test func `A child already manages its root when its start method runs`() {
        let child = LifeCoordinator()
        var managed: Bool?
        child.onStart = { [unowned child] in
            managed = child.rootViewController.parentCoordinator === child && child.isStarted
        }
        parent.startChild(child)
        #expect(managed == true)
    }

    @Test func `Stopping a coordinator stops its children once, at any depth`() {
        let (child, grandchild) = (LifeCoordinator(), LifeCoordinator())
        parent.startChild(child)
        child.startChild(grandchild)
        parent.stopChild(child)
        #expect(child.life == ["start", "stop"])
        #expect(grandchild.life == ["start", "stop"])
        #expect(grandchild.parent == nil)
    }

    @Test func `Stopped coordinators are freed`() {
        weak var child: LifeCoordinator?
        weak var grandchild: StubbornCoordinator?
        do {
            let made = LifeCoordinator()
            let below = StubbornCoordinator()
            (child, grandchild) = (made, below)
            parent.startChild(made)
            made.startChild(below)
        }
        #expect(child != nil && grandchild != nil)
        if let child { parent.stopChild(child) }
        #expect(child == nil)
        #expect(grandchild == nil)
    }

    @Test func `A coordinator does not retain its parent`() {
        let child = LifeCoordinator()
        weak var freed: StubbornCoordinator?
        do {
            let parent = StubbornCoordinator()
            freed = parent
            parent.startChild(child)
            #expect(child.parent === parent)
        }
        #expect(freed == nil)
        #expect(child.parent == nil)
    }

    @Test func `The root gets its coordinator on start and on activate, and does not retain it`() {
        let root = ViewController()
        do {
            let (first, second) = (SharingCoordinator(root), SharingCoordinator(root))
            #expect(root.parentCoordinator == nil)
            first.start()
            #expect(root.parentCoordinator === first)
            second.start()
            #expect(root.parentCoordinator === second)
            first.activate()
            #expect(root.parentCoordinator === first)
            second.takeover()
            #expect(root.parentCoordinator === second)
            first.stop()
            #expect(root.parentCoordinator === second)
        }
        #expect(root.parentCoordinator == nil)
    }

    @Test func `A coordinator's identifier is its class name until another one is set`() {
        let child = LifeCoordinator()
        #expect(child.identifier == "LifeCoordinator")
        child.identifier = "left"
        #expect(child.identifier == "left")
    }

    @Test func `Queued messages run once, in order`() {
        var ran: [Int] = []
        for number in 1...3 { parent.enqueueMessage { ran.append(number) } }
        #expect(ran == [])
        parent.processQueuedMessages()
        #expect(ran == [1, 2, 3])
        parent.processQueuedMessages()
        #expect(ran == [1, 2, 3])
    }

    @Test func `A message that queues itself again waits for the next processing`() {
        var attempts = 0
        func attempt() {
            attempts += 1
            if attempts < 3 { parent.enqueueMessage(attempt) }
        }
        parent.enqueueMessage(attempt)
        parent.processQueuedMessages()
        #expect(attempts == 1)
        #expect(parent.queuedMessages.count == 1)
        parent.processQueuedMessages()
        parent.processQueuedMessages()
        parent.processQueuedMessages()
        #expect(attempts == 3)
        #expect(parent.queuedMessages.isEmpty)
    }

    // MARK: - Cycles and children

    @Test func `A coordinator is not added below itself`() {
        let (first, second) = (
            Coordinator(rootViewController: ViewController()), Coordinator(rootViewController: ViewController())
        )
        first.startChild(second)
        #expect(!second.addChild(first))
        #expect(!first.addChild(first))
        second.startChild(first)
        #expect(second.childCoordinators.isEmpty)
        #expect(!first.isStarted)
    }

    @Test func `A message in a chain that leads back to itself ends, and its error says so`() async throws {
        let (first, second) = (
            Coordinator(rootViewController: ViewController()), Coordinator(rootViewController: ViewController())
        )
        first.parent = second
        second.parent = first
        let error = try await #require(throws: MessageError.self) {
            _ = try await first.chain.send(CounterMessagesList.counterAdd(amount: 1, note: ""))
        }
        #expect(error.code == .unhandled)
        #expect(error.detail.contains("leads back to itself"))
        #expect(ViewController().containingCoordinator == nil)
    }

    @Test func `A child is added and removed without being started or stopped`() {
        let (parent, child) = (
            Coordinator(rootViewController: ViewController()), Coordinator(rootViewController: ViewController())
        )
        #expect(parent.addChild(child))
        #expect(child.parent === parent)
        #expect(!child.isStarted)
        child.start(with: .url("page://a"))
        #expect(child.isStarted)
        parent.removeChild(child)
        #expect(child.isStarted)
        #expect(child.parent == nil)
        #expect(parent.childCoordinators[child.identifier] == nil)
    }

    @Test func `Responders are equal to themselves only, and can be found in a list`() {
        let (first, second) = (ViewController(), ViewController())
        #expect([first, second].firstIndex(of: second) == 1)
        #expect(Set([first, second, first]).count == 2)
    }
}

/// Records its life cycle, and calls `super`.
private final class LifeCoordinator: Coordinator<ViewController> {
    private(set) var life: [String] = []
    var onStart: (() -> Void)?

    init() { super.init(rootViewController: ViewController()) }

    override func start() {
        super.start()
        life.append("start")
        onStart?()
    }

    override func stop() {
        life.append("stop")
        super.stop()
    }
}

/// Overrides `start` and `stop` without calling `super`.
private final class StubbornCoordinator: Coordinator<ViewController> {
    init() { super.init(rootViewController: ViewController()) }

    override func start() {}
    override func stop() {}
}

private final class SharingCoordinator: Coordinator<ViewController> {
    init(_ root: ViewController) { super.init(rootViewController: root) }
}
