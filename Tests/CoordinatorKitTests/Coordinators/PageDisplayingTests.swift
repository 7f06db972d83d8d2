import CoordinatorKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct PageDisplayingTests {
    private let root = NavigationController()
    private let parent: NavigationCoordinator

    init() {
        parent = NavigationCoordinator(rootViewController: root)
        parent.start()
    }

    @Test func `A page requested before the start is shown at the start`() {
        let basket = BasketCoordinator(rootViewController: root)
        basket.display(page: .item(3))
        #expect(basket.displayed == [])
        #expect(parent.stack == [])
        parent.startChild(basket)
        #expect(basket.displayed == [.item(3)])
        #expect(parent.stack == ["item(3)"])
    }

    @Test func `A page requested after the start is shown at once`() {
        let basket = BasketCoordinator(rootViewController: root)
        parent.startChild(basket)
        basket.display(page: .item(3))
        #expect(basket.page == .item(3))
        #expect(basket.displayed == [.all, .item(3)])
        #expect(parent.stack == ["all", "item(3)"])
    }

    @Test func `Showing a child starts a new child at the page, once`() {
        let basket = parent.showChild(at: .item(1)) { BasketCoordinator(rootViewController: root) }
        #expect(basket.displayed == [.item(1)])
        #expect(basket.isStarted)
        #expect(basket.parent === parent)
    }

    @Test func `Showing a running child activates it and shows the page there`() {
        let basket = parent.showChild(at: .all) { BasketCoordinator(rootViewController: root) }
        parent.activate()
        #expect(root.delegate === parent)
        var made = 0
        let same = parent.showChild(at: .item(2)) {
            made += 1
            return BasketCoordinator(rootViewController: root)
        }
        #expect(same === basket)
        #expect(made == 0)
        #expect(basket.displayed == [.all, .item(2)])
        #expect(root.delegate === basket)
        #expect(parent.childCoordinators.count == 1)
    }

    @Test func `A message for a page reaches the scene's coordinator from any depth`() throws {
        let (_, shop) = try shopScene()
        shop.display(page: .basket)
        let basket = try #require(shop.child(matching: BasketCoordinator.self))
        let view = try #require(basket.viewControllers.first).view
        view.chain.globalDisplay(page: .product(id: 5))
        #expect(shop.displayed == [.list, .basket, .product(id: 5)])
        #expect(shop.stack == ["list", "all", "product(id: 5)"])
        shop.rootViewController.topViewController?.chain.globalDisplay(page: .basket)
        #expect(shop.childCoordinators.count == 1)
        #expect(basket.displayed == [.all, .all])
    }
}
