import CoordinatorKit
import Testing

/// The snippets of "Coordinators Essential tutorial" (AndreyPanov/ApplicationCoordinator): protocols and a base class of
/// the application's own, on this library's `Router` and controllers. `ExampleFlowTests` has whole flows.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct FlowsTests {
    @Test("BaseCoordinator: adds only a unique object, and removes it")
    func dependencies() {
        let (base, child) = (Flows.BaseCoordinator(), Flows.BaseCoordinator())
        base.addDependency(child)
        base.addDependency(child)
        #expect(base.childCoordinators.count == 1)
        base.removeDependency(child)
        base.removeDependency(nil)
        #expect(base.childCoordinators.isEmpty)
    }

    @Test("AppDelegate: the application coordinator starts with the deep link of the launch")
    func deepLink() throws {
        let delegate = Flows.AppDelegate()
        try Application(delegate: delegate).launch(
            options: LaunchOptions(link: .notification(["launch_id": "item"])))
        #expect(delegate.rootController.viewControllers.map(\.title) == ["list", "item"])
    }

    @Test("AppDelegate: a notification reaches the application coordinator")
    func notification() throws {
        let delegate = Flows.AppDelegate()
        let application = Application(delegate: delegate)
        try application.launch()
        // Nobody has a scene here, so that no scene opens it.
        #expect(throws: DeepLinkRefusal.self) { try application.open(.notification(["launch_id": "item"])) }
        #expect(delegate.rootController.viewControllers.map(\.title) == ["list", "item"])
    }

    @Test("ItemsListView: a flow is called back by a module that it pushed, which runs its completion when it leaves")
    func callbacks() throws {
        let delegate = Flows.AppDelegate()
        try Application(delegate: delegate).launch()
        let list = try #require(delegate.rootController.topViewController as? Flows.ItemsListController)
        list.onItemSelect?("lamp")
        #expect(delegate.rootController.viewControllers.map(\.title) == ["list", "lamp"])
        delegate.rootController.userDidTapBack()
        #expect(delegate.coordinator.left == ["lamp"])
    }
}

enum Flows {
    enum DeepLinkOption {
        case item

        static func build(with dict: [String: Any]?) -> DeepLinkOption? {
            guard let id = dict?["launch_id"] as? String, id == "item" else { return nil }
            return .item
        }

        static func build(with notification: DeepLink?) -> DeepLinkOption? {
            guard case .notification(let info) = notification, info["launch_id"]?.stringValue == "item" else {
                return nil
            }
            return .item
        }
    }

    @MainActor
    protocol Coordinator: AnyObject {
        func start()
        func start(with option: DeepLinkOption?)
    }

    @MainActor
    protocol ItemsListView: Presentable {
        var onItemSelect: ((String) -> Void)? { get set }
        var onCreateButtonTap: (() -> Void)? { get set }
    }

    final class ItemsListController: ViewController, ItemsListView {
        var onItemSelect: ((String) -> Void)?
        var onCreateButtonTap: (() -> Void)?
    }

    class BaseCoordinator: Coordinator {
        var childCoordinators: [any Coordinator] = []

        func start() {}
        func start(with option: DeepLinkOption?) {}

        // add only unique object
        func addDependency(_ coordinator: any Coordinator) {
            for element in childCoordinators {
                if element === coordinator { return }
            }
            childCoordinators.append(coordinator)
        }

        func removeDependency(_ coordinator: (any Coordinator)?) {
            guard
                childCoordinators.isEmpty == false,
                let coordinator = coordinator
            else { return }

            for (index, element) in childCoordinators.enumerated() {
                if element === coordinator {
                    childCoordinators.remove(at: index)
                    break
                }
            }
        }
    }

    final class ItemCoordinator: BaseCoordinator {
        private(set) var left: [String] = []
        private let router: any Router

        init(router: any Router) {
            self.router = router
        }

        override func start(with option: DeepLinkOption?) {
            let list = ItemsListController()
            list.title = "list"
            list.onItemSelect = { [weak self] in self?.showItemDetail($0) }
            router.setRootModule(list)
            if let option {
                switch option {
                case .item: showItemDetail("item")
                }
            }
        }

        private func showItemDetail(_ item: String) {
            let detail = ViewController()
            detail.title = item
            router.push(detail, animated: true) { [weak self] in self?.left.append(item) }
        }
    }

    final class AppDelegate: CoordinatorKit.AppDelegate {
        var window: Window? = Window()
        let rootController = NavigationController()
        lazy var coordinator = ItemCoordinator(router: NavigationRouter(rootController: rootController))
        private lazy var applicationCoordinator: any Coordinator = coordinator

        override func application(
            _ application: Application,
            didFinishLaunchingWithOptions launchOptions: LaunchOptions
        ) -> Bool {
            window?.rootViewController = rootController
            let deepLink = DeepLinkOption.build(with: launchOptions.link)
            applicationCoordinator.start(with: deepLink)
            return true
        }

        override func application(
            _ application: Application, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
        ) {
            let dict = userInfo as? [String: Any]
            let deepLink = DeepLinkOption.build(with: dict)
            applicationCoordinator.start(with: deepLink)
        }
    }
}
