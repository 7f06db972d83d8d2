import CoordinatorKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct NeedsDependencyTests {
    private let top = NeedingCoordinator()

    private func container(_ count: Int) -> AppDependency { AppDependency { $0.guestCount = count } }

    // MARK: - Passing on

    @Test func `A change reaches every child at any depth once, also below one that needs no container`() {
        let (child, plain, below, deepest, sibling) = (
            NeedingCoordinator(), SilentCoordinator(), NeedingCoordinator(), NeedingCoordinator(), NeedingCoordinator()
        )
        top.startChild(child)
        child.startChild(plain)
        plain.startChild(below)
        below.startChild(deepest)
        top.startChild(sibling)
        for count in 1...3 {
            top.appDependency = container(count)
            for coordinator in [child, below, deepest, sibling] {
                #expect(coordinator.counts == Array(1...count))
            }
        }
        top.appDependency = nil
        #expect(deepest.appDependency == nil)
        #expect(deepest.counts == [1, 2, 3, nil])
    }

    @Test func `A change reaches a coordinator that is no subclass of Coordinator`() {
        let child = NeedingForeignCoordinator()
        top.startChild(child)
        top.appDependency = container(1)
        #expect(child.appDependency?.guestCount == 1)
    }

    @Test func `A child that is started later gets the container before it starts`() {
        top.appDependency = container(4)
        let (child, plain, below) = (NeedingCoordinator(), SilentCoordinator(), NeedingCoordinator())
        top.startChild(child)
        #expect(child.countAtStart == 4)
        top.startChild(plain)
        plain.startChild(below)
        #expect(below.countAtStart == 4)
        #expect(below.counts == [4])
    }

    @Test func `A child with a container of its own starts with that one`() {
        top.appDependency = container(4)
        let child = NeedingCoordinator()
        child.appDependency = container(9)
        top.startChild(child)
        #expect(child.countAtStart == 9)
    }

    @Test func `A stopped child that is started again gets the newest container`() {
        let child = NeedingCoordinator()
        top.startChild(child)
        top.appDependency = container(1)
        top.stopChild(child)
        top.appDependency = container(2)
        top.startChild(child)
        #expect(child.countAtStart == 2)
    }

    @Test func `A coordinator passes the container on without observing it`() {
        let (child, below) = (ForgetfulCoordinator(), NeedingCoordinator())
        let scene = SceneSession(persistentIdentifier: "a", configuration: SceneConfiguration(name: "Wall"))
        scene.sceneCoordinator = child
        child.startChild(below)
        scene.appDependency = container(1)
        #expect(child.appDependency?.guestCount == 1)
        #expect(below.counts == [1])
        scene.appDependency = container(2)
        #expect(below.counts == [1, 2])
    }

    @Test func `A container that is passed twice arrives once`() {
        let child = NeedingCoordinator()
        top.startChild(child)
        top.appDependency = container(1)
        top.updateChildCoordinatorDependencies()
        #expect(child.counts == [1])
    }

    @Test func `A change that a receiver makes is what all end with`() {
        let (restless, below) = (RestlessCoordinator(), NeedingCoordinator())
        let scene = SceneSession(persistentIdentifier: "a", configuration: SceneConfiguration(name: "Wall"))
        restless.onChange = { container in
            guard container?.guestCount == 1 else { return }
            scene.appDependency?.guestCount = 2
        }
        scene.sceneCoordinator = restless
        restless.startChild(below)
        scene.appDependency = container(1)
        #expect(restless.appDependency?.guestCount == 2)
        #expect(below.counts.last == 2)
        #expect(below.counts.count(where: { $0 == 2 }) == 1)
    }

    @Test func `A coordinator that adds an entry for those below keeps it there`() {
        let (adding, below) = (AddingCoordinator(), NeedingCoordinator())
        let scene = SceneSession(persistentIdentifier: "a", configuration: SceneConfiguration(name: "Wall"))
        scene.sceneCoordinator = adding
        adding.startChild(below)
        scene.appDependency = container(1)
        #expect(below.appDependency?.guest == Guest(name: "added"))
        #expect(below.counts == [1])
    }

    @Test func `A child below a coordinator that needs no container gets it when it is added`() {
        let top = NavigationCoordinator(rootViewController: NavigationController())
        let scene = SceneSession(persistentIdentifier: "a", configuration: SceneConfiguration(name: "Wall"))
        scene.sceneCoordinator = top
        scene.appDependency = container(1)
        let (child, added, screen) = (NeedingCoordinator(), NeedingCoordinator(), NeedingScreen())
        top.startChild(child)
        #expect(child.countAtStart == 1)
        top.addChild(added)
        #expect(added.appDependency?.guestCount == 1)
        top.show(screen)
        #expect(screen.counts == [1])
    }

    @Test func `A screen inside a container controller gets the container and its changes`() {
        let flow = NavigationCoordinator(rootViewController: NavigationController())
        top.appDependency = container(1)
        top.startChild(flow)
        let (editor, tab) = (NeedingScreen(), NeedingScreen())
        flow.show(tab)
        flow.present(NavigationController(rootViewController: editor))
        #expect(editor.counts == [1])
        top.appDependency = container(2)
        #expect(editor.counts == [1, 2])
    }

    @Test func `A screen that needs the container gets it when it is shown, and each change`() {
        let root = NavigationController()
        let flow = NavigationCoordinator(rootViewController: root)
        top.appDependency = container(1)
        top.startChild(flow)
        let (shown, presented) = (NeedingScreen(), NeedingScreen())
        flow.show(shown)
        #expect(shown.counts == [1])
        flow.present(presented)
        #expect(presented.counts == [1])
        top.appDependency = container(2)
        #expect(shown.counts == [1, 2])
        #expect(presented.counts == [1, 2])
        flow.dismiss()
        top.appDependency = container(3)
        #expect(presented.counts == [1, 2])
    }

    @Test func `A stopped child gets no more changes`() {
        let child = NeedingCoordinator()
        top.startChild(child)
        top.appDependency = container(1)
        top.stopChild(child)
        top.appDependency = container(2)
        #expect(child.counts == [1])
    }

    @Test func `A change runs the queued messages, the children's first`() {
        var ran: [String] = []
        let child = NeedingCoordinator()
        top.startChild(child)
        top.enqueueMessage { [top] in ran.append("top \(top.appDependency?.guestCount ?? 0)") }
        child.enqueueMessage { ran.append("child \(child.appDependency?.guestCount ?? 0)") }
        top.appDependency = container(5)
        #expect(ran == ["child 5", "top 5"])
        top.appDependency = container(6)
        #expect(ran.count == 2)
    }

    // MARK: - Waiting for an entry

    @Test func `An existing entry is returned at once`() async throws {
        top.appDependency = container(3)
        #expect(try await top.dependency(\.guestCount) == 3)
        #expect(top.queuedMessages.isEmpty)
    }

    @Test func `The wait ends when the entry arrives, and other changes do not end it`() async throws {
        let waiting = Task { try await top.dependency(\.guest, within: .seconds(50)) }
        while top.queuedMessages.isEmpty { await Task.yield() }
        top.appDependency = container(1)
        #expect(top.queuedMessages.count == 1)
        top.appDependency?.guest = Guest(name: "Ada")
        #expect(try await waiting.value == Guest(name: "Ada"))
        #expect(top.queuedMessages.isEmpty)
    }

    @Test func `Several tasks can wait for one entry`() async throws {
        let first = Task { try await top.dependency(\.guestCount, within: .seconds(50)) }
        let second = Task { try await top.dependency(\.guestCount, within: .seconds(50)) }
        while top.queuedMessages.count < 2 { await Task.yield() }
        top.appDependency = container(8)
        #expect(try await first.value == 8)
        #expect(try await second.value == 8)
    }

    @Test func `The wait for an entry that does not arrive ends at its deadline`() async throws {
        let error = await #expect(throws: DependencyTimeout.self) {
            try await top.dependency(\.guestCount, within: .milliseconds(10))
        }
        #expect(error?.waited == .milliseconds(10))
        #expect(error?.entry == "guestCount")
        #expect(error?.description.contains("'guestCount'") == true)
        top.appDependency = container(1)
        #expect(top.queuedMessages.isEmpty)
    }

    @Test func `A cancelled wait ends at once`() async throws {
        let waiting = Task { try await top.dependency(\.guestCount, within: .seconds(50)) }
        while top.queuedMessages.isEmpty { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `A request can wait for the entry that it needs`() async throws {
        let handler = GuestCoordinator()
        top.startChild(handler)
        let reply = Task { try await handler.chain.guestNext() }
        while handler.queuedMessages.isEmpty { await Task.yield() }
        top.appDependency = container(11)
        #expect(try await reply.value == 12)
    }
}

@ResponderMessages protocol GuestMessages {
    func guestNext() async throws -> Int
}

extension ResponderChain: GuestMessages {}

private final class GuestCoordinator: Coordinator<ViewController>, NeedsDependency, GuestMessages {
    var appDependency: AppDependency? { didSet { updateChildCoordinatorDependencies() } }

    init() { super.init(rootViewController: ViewController()) }

    func guestNext() async throws -> Int { try await dependency(\.guestCount, within: .seconds(50)) + 1 }
}

private final class ForgetfulCoordinator: Coordinator<ViewController>, NeedsDependency {
    var appDependency: AppDependency?

    init() { super.init(rootViewController: ViewController()) }
}

/// Reacts to a change by leading to another one.
private final class RestlessCoordinator: Coordinator<ViewController>, NeedsDependency {
    var onChange: ((AppDependency?) -> Void)?
    var appDependency: AppDependency? { didSet { onChange?(appDependency) } }

    init() { super.init(rootViewController: ViewController()) }
}

/// Passes more on than it gets.
private final class AddingCoordinator: Coordinator<ViewController>, NeedsDependency {
    var appDependency: AppDependency? {
        didSet {
            appDependency?.guest = Guest(name: "added")
            updateChildCoordinatorDependencies()
        }
    }

    init() { super.init(rootViewController: ViewController()) }
}

private final class NeedingScreen: ViewController, NeedsDependency {
    private(set) var counts: [Int?] = []
    var appDependency: AppDependency? { didSet { counts.append(appDependency?.guestCount) } }
}

private final class NeedingForeignCoordinator: ForeignCoordinator, NeedsDependency {
    var appDependency: AppDependency?
}

private final class NeedingCoordinator: Coordinator<ViewController>, NeedsDependency {
    private(set) var counts: [Int?] = []
    private(set) var countAtStart: Int?

    var appDependency: AppDependency? {
        didSet {
            counts.append(appDependency?.guestCount)
            updateChildCoordinatorDependencies()
        }
    }

    init() { super.init(rootViewController: ViewController()) }

    override func start() { countAtStart = appDependency?.guestCount }
}
