import CBOR
import CoordinatorKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct SceneCoordinatorTests {
    private func start(with links: DeepLink..., restoring state: UserActivity? = nil) throws -> ShopCoordinator {
        let application = Application()
        let session = SceneSession(
            persistentIdentifier: "s1",
            configuration: SceneConfiguration(
                name: "Shop", delegateClass: WindowSceneDelegate<ShopCoordinator>.self),
            stateRestorationActivity: state)
        try application.requestSceneSessionActivation(session, options: ConnectionOptions(links: links))
        running.append(application)
        return try #require(session.sceneCoordinator as? ShopCoordinator)
    }

    /// Retained here, because a coordinator does not retain its application.
    private let running = Kept()

    // MARK: - Resolving

    @Test(
        arguments: [
            (.url("shop://product/12?from=mail"), .product(id: 12)),
            (.url("SHOP://basket"), .basket),
            (.notification(["product": 7, "badge": 1]), .product(id: 7)),
            (.activity(UserActivity(activityType: "shop.product", userInfo: ["id": 3])), .product(id: 3)),
        ] as [(DeepLink, ShopPage)])
    func `Resolving a link gives a page and changes no screen`(link: DeepLink, page: ShopPage) throws {
        let coordinator = try start()
        let stack = coordinator.rootViewController.viewControllers.map(ObjectIdentifier.init)
        #expect(try coordinator.resolve(link) == page)
        #expect(coordinator.displayed == [.list])
        #expect(coordinator.rootViewController.viewControllers.map(ObjectIdentifier.init) == stack)
        #expect(coordinator.childCoordinators.isEmpty)
    }

    @Test(
        arguments: [
            (.url("shop://attic"), "cannot open shop://attic: there is no such page"),
            (.url("https://example.org"), "cannot open https://example.org: it is not of the scheme 'shop'"),
            (.url("no link"), "cannot open no link: it is not a URL"),
            (.notification(["badge": 1]), "cannot open notification [\"badge\"]: it names no product"),
            (.activity(UserActivity(activityType: "x")), "cannot open activity 'x': it has no id"),
        ] as [(DeepLink, String)])
    func `An unknown link is refused with a reason, and nothing is shown`(link: DeepLink, reason: String) throws {
        let coordinator = try start()
        let error = #expect(throws: DeepLinkRefusal.self) { try coordinator.open(link) }
        #expect(error?.description == reason)
        #expect(coordinator.refusal == error)
        #expect(coordinator.displayed == [.list])
    }

    @Test func `A state contains its version, unless that is 1`() throws {
        let state = SceneRestorationState<ShopPage>(screens: [.init(page: .list)])
        #expect(try state.activity().userInfo["version"] == nil)
        #expect(try state.activity(version: 3).userInfo["version"] == 3)
    }

    private enum CheckoutPage: Page {
        case cart(items: Int)
        case payment(card: Secret<String>)
    }

    @Test func `A state ends below the first page that holds a secret`() throws {
        let cart = SceneRestorationState<CheckoutPage>.Screen(page: .cart(items: 2), kept: ["note": "gift"])
        let payment = SceneRestorationState<CheckoutPage>.Screen(page: .payment(card: Secret("difference")))
        for (screens, kept) in [([cart, payment, cart], [cart]), ([payment, cart], []), ([cart], [cart])] {
            let activity = try SceneRestorationState(screens: screens).activity()
            #expect(try SceneRestorationState<CheckoutPage>(activity)?.screens == kept)
        }
    }

    @Test func `An error that the resolver throws is a refusal too`() throws {
        let coordinator = try start()
        let link = DeepLink.activity(UserActivity(activityType: "shop.product", userInfo: ["id": "twelve"]))
        let error = #expect(throws: DeepLinkRefusal.self) { try coordinator.open(link) }
        #expect(error?.link == "activity 'shop.product'")
        #expect(error?.reason.isEmpty == false)
    }

    @Test func `A coordinator without deep links refuses every link with that reason`() throws {
        let coordinator = try start()
        let plain = PlainSceneCoordinator(
            scene: try #require(coordinator.scene), sceneDelegate: try #require(coordinator.sceneDelegate))
        let error = #expect(throws: DeepLinkRefusal.self) { try plain.open(.url("shop://list")) }
        #expect(error?.reason == "'Shop' has no deep links")
    }

    // MARK: - Starting

    @Test func `A scene starts at its links, otherwise at its state, otherwise at its initial page`() throws {
        let state = try SceneRestorationState<ShopPage>(screens: [.init(page: .list), .init(page: .product(id: 1))])
            .activity()
        #expect(try start().displayed == [.list])
        #expect(try start(restoring: state).displayed == [.list, .product(id: 1)])
        #expect(try start(with: .url("shop://product/2"), restoring: state).displayed == [.product(id: 2)])
        #expect(
            try start(with: .url("shop://product/2"), .url("shop://basket")).displayed == [.product(id: 2), .basket])
    }

    @Test func `A scene whose link is refused starts anyway and keeps the reason`() throws {
        let state = try SceneRestorationState<ShopPage>(screens: [.init(page: .product(id: 1))]).activity()
        let coordinator = try start(with: .url("shop://attic"), restoring: state)
        #expect(coordinator.displayed == [.product(id: 1)])
        #expect(coordinator.refusal?.reason == "there is no such page")
        #expect(try start(with: .url("shop://attic")).displayed == [.list])
        #expect(try start().refusal == nil)
    }

    @Test func `A coordinator can be started with a link without its scene delegate`() throws {
        let coordinator = try start()
        coordinator.stop()
        #expect(!coordinator.isStarted)
        coordinator.start(with: .notification(["product": 5]), restoring: nil)
        #expect(coordinator.isStarted)
        #expect(coordinator.displayed == [.list, .product(id: 5)])
        #expect(coordinator.rootViewController.delegate === coordinator)
    }

    // MARK: - State

    @Test func `The state consists of the stack of pages and of what the screens keep`() throws {
        let coordinator = try start()
        coordinator.display(page: .product(id: 8))
        coordinator.rootViewController.topViewController?.restorationState = ["scroll": "120"]
        coordinator.rootViewController.pushViewController(ViewController())
        coordinator.display(page: .basket)
        let screens: [SceneRestorationState<ShopPage>.Screen] = [
            .init(page: .list), .init(page: .product(id: 8), kept: ["scroll": "120"]), .init(page: .basket),
        ]
        #expect(coordinator.state == SceneRestorationState(screens: screens))
        let activity = try #require(coordinator.stateRestorationActivity())
        #expect(activity.activityType == SceneRestorationState<ShopPage>.activityType)
        #expect(try SceneRestorationState<ShopPage>(activity) == SceneRestorationState(screens: screens))
    }

    @Test func `A state is restored equally at the start, by an activity and after encoding`() throws {
        let state = SceneRestorationState<ShopPage>(screens: [
            .init(page: .list, kept: ["filter": "red"]), .init(page: .product(id: 8), kept: ["scroll": "120"]),
            .init(page: .basket),
        ])
        let wire = try CBOREncoder().encode(state.activity())
        let activity = try CBORDecoder().decode(UserActivity.self, from: wire)
        let started = try start(restoring: activity)
        #expect(started.state == state)
        #expect(started.refusal == nil)

        let opened = try start()
        try opened.open(.activity(activity))
        #expect(opened.state == state)
        #expect(opened.child(matching: BasketCoordinator.self)?.isStarted == true)

        let linked = try start(with: .activity(activity))
        #expect(linked.state == state)
    }

    @Test(
        arguments: [
            ["screens": "nonsense"],
            ["screens": [["page": ["attic": [:]], "kept": [:]]]],
            ["screens": [["page": ["product": ["id": "eight"]], "kept": [:]]]],
        ] as [[String: CBORValue]])
    func `An unreadable state is refused with a reason, and the scene starts at its initial page`(
        info: [String: CBORValue]
    ) throws {
        let activity = UserActivity(activityType: SceneRestorationState<ShopPage>.activityType, userInfo: info)
        let coordinator = try start(restoring: activity)
        #expect(coordinator.displayed == [.list])
        #expect(coordinator.stack == ["list"])
        let refusal = try #require(coordinator.refusal)
        #expect(refusal.link == "activity 'scenebus.scene-state'")
        #expect(refusal.reason.hasPrefix("the stored state cannot be read: "))
        let error = #expect(throws: DeepLinkRefusal.self) { try coordinator.open(.activity(activity)) }
        #expect(error?.reason.isEmpty == false)
        #expect(coordinator.displayed == [.list])
    }

    @Test func `An empty state or one of another type starts at the initial page`() throws {
        let empty = try start(restoring: try SceneRestorationState<ShopPage>(screens: []).activity())
        #expect(empty.displayed == [.list])
        #expect(empty.refusal == nil)
        #expect(try start(restoring: UserActivity(activityType: "other")).displayed == [.list])
    }
}

@MainActor
private final class Kept {
    private var objects: [AnyObject] = []
    func append(_ object: AnyObject) { objects.append(object) }
}

private final class PlainSceneCoordinator: SceneCoordinator<ShopPage> {}
