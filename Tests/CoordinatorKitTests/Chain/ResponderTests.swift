import CoordinatorKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ResponderTests {
    @Test func `A coordinator's next responder is its parent`() {
        let parent = SilentCoordinator()
        let child = SilentCoordinator()
        #expect(child.coordinatingResponder == nil)
        parent.startChild(child)
        #expect(child.coordinatingResponder === parent)
        parent.stopChild(child)
        #expect(child.coordinatingResponder == nil)
    }

    @Test func `From a view, the chain climbs through its coordinator, scene and application to the upstream`() throws {
        let (application, coordinator) = try shopScene()
        let upstream = ForwardingResponder()
        application.upstream = upstream
        let screen = ViewController()
        coordinator.show(screen)
        let subview = View()
        screen.view.addSubview(subview)
        let scene = try #require(coordinator.scene)
        let chain: [Responder?] = [
            subview, screen.view, screen, coordinator, coordinator.sceneDelegate, scene.window, scene, application,
            application.delegate, upstream,
        ]
        var climbed: [Responder] = []
        var responder: Responder? = subview
        while let current = responder, climbed.count < 20 {
            climbed.append(current)
            responder = current.coordinatingResponder
        }
        #expect(climbed.map(ObjectIdentifier.init) == chain.compactMap { $0.map(ObjectIdentifier.init) })
        #expect(climbed.count == chain.count)
        #expect(
            subview.climbedPath == [
                "View", "View", "ViewController", "ShopCoordinator", "WindowSceneDelegate<ShopCoordinator>", "Window",
                "Scene", "Application", "AppDelegate", "ForwardingResponder",
            ])
    }

    @Test func `Screens of a child coordinator climb through the child and its parent`() throws {
        let (application, coordinator) = try shopScene()
        defer { withExtendedLifetime(application) {} }
        let child = NavigationCoordinator(rootViewController: coordinator.rootViewController)
        coordinator.startChild(child)
        let screen = ViewController()
        child.show(screen)
        #expect(
            screen.climbedPath.prefix(4) == [
                "ViewController", "NavigationCoordinator", "ShopCoordinator", "WindowSceneDelegate<ShopCoordinator>",
            ])
    }

    @Test func `The containing coordinator is that of the nearest view controller that has one`() {
        let coordinator = SilentCoordinator()
        let outer = ViewController()
        let inner = ViewController()
        let view = View()
        inner.view.addSubview(view)
        #expect(view.containingCoordinator == nil)
        outer.addChild(inner)
        outer.parentCoordinator = coordinator
        #expect(inner.containingCoordinator === coordinator)
        #expect(view.containingCoordinator === coordinator)
        let nearer = SilentCoordinator()
        inner.parentCoordinator = nearer
        #expect(view.containingCoordinator === nearer)
        #expect(outer.containingCoordinator === coordinator)
        #expect(nearer.containingCoordinator === nearer)
    }

    @Test func `A presented screen climbs through the coordinator that presents it`() throws {
        let (_, coordinator) = try shopScene()
        let sheet = ViewController()
        coordinator.present(sheet)
        #expect(sheet.coordinatingResponder === coordinator)
        #expect(sheet.containingCoordinator === coordinator)
    }

    @Test func `Every responder in a scene knows the scene, and no responder outside does`() throws {
        let (application, coordinator) = try shopScene()
        let scene = try #require(coordinator.scene)
        let screen = ViewController()
        coordinator.show(screen)
        for responder in [screen.view, screen, coordinator, scene.window, scene] as [Responder?] {
            #expect(responder?.containingScene === scene)
        }
        #expect(application.containingScene == nil)
        #expect(View().containingScene == nil)
        #expect(SilentCoordinator().containingScene == nil)
    }

    @Test func `The path of a circular chain ends`() {
        let (first, second) = (ResponderCoordinator(), ResponderCoordinator())
        first.above = second
        second.above = first
        #expect(first.climbedPath.count == 256)
    }
}
