import CoordinatorKit
import Testing

/// The snippets of "Passing dependencies through Coordinator chain" (radianttap). `dependencies` is `appDependency`.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct PassingDependenciesTests {
    private let coordinator = PassingDependencies.AppCoordinator(rootViewController: NavigationController())

    init() {
        coordinator.appDependency = AppDependency { $0.promoManager = PassingDependencies.PromoManager() }
        coordinator.start()
    }

    private var cart: PassingDependencies.CartCoordinator? {
        coordinator.childCoordinators.child(matching: PassingDependencies.CartCoordinator.self)
    }

    @Test("showCart: the first call creates the coordinator and starts it at the page, with the dependencies")
    func first() throws {
        coordinator.showCart(.offer("summer"))
        let cart = try #require(cart)
        #expect(cart.titles == ["offer summer"])
        #expect(cart.appDependency?.promoManager != nil)
    }

    @Test("showCart: a later call displays the page in the same coordinator")
    func later() throws {
        coordinator.showCart(nil)
        coordinator.showCart(.checkout)
        #expect(coordinator.childCoordinators.count == 1)
        #expect(cart?.titles == ["cart", "checkout"])
    }

    @Test("updateChildCoordinatorDependencies: a new value is passed down to all child coordinators")
    func passedDown() {
        coordinator.showCart(nil)
        coordinator.appDependency?.settings = "large print"
        #expect(cart?.appDependency?.settings == "large print")
    }

    @Test("A dependency that is not available yet: the message waits in the queue until it is")
    func queued() {
        coordinator.showCart(nil)
        cart?.addOffer()
        #expect(cart?.titles == ["cart"])
        coordinator.appDependency?.settings = "large print"
        #expect(cart?.titles == ["cart", "offer large print"])
    }
}

enum PassingDependencies {
    /// An object as those of a program that is not written for actors.
    final class PromoManager {}

    final class AppCoordinator: NavigationCoordinator, NeedsDependency {
        var appDependency: AppDependency? {
            didSet {
                updateChildCoordinatorDependencies()
            }
        }

        func showCart(_ page: CartCoordinator.Page?) {
            let identifier = String(describing: CartCoordinator.self)
            //  if Coordinator is already created...
            if let c = childCoordinators[identifier] as? CartCoordinator {
                c.appDependency = appDependency
                //  just display this page
                if let page = page {
                    c.display(page: page)
                }
                return
            }

            //  otherwise, create the coordinator and start it
            let c = CartCoordinator(rootViewController: rootViewController)
            c.appDependency = appDependency
            if let page = page {
                c.page = page
            }
            startChild(coordinator: c)
        }
    }

    final class CartCoordinator: NavigationCoordinator, NeedsDependency {
        enum Page {
            case cart
            case checkout
            case payment
            case offer(String)
        }
        var page: Page = .cart

        var appDependency: AppDependency? {
            didSet {
                updateChildCoordinatorDependencies()
            }
        }

        override func start() {
            super.start()
            display(page: page)
        }

        func display(page: Page) {
            let screen = ViewController()
            switch page {
            case .cart: screen.title = "cart"
            case .checkout: screen.title = "checkout"
            case .payment: screen.title = "payment"
            case .offer(let id): screen.title = "offer \(id)"
            }
            show(screen)
        }

        func addOffer() {
            guard let settings = appDependency?.settings else {
                enqueueMessage { [weak self] in self?.addOffer() }
                return
            }
            display(page: .offer(settings))
        }

        var titles: [String] { viewControllers.map { $0.title ?? "?" } }
    }
}

extension AppDependency {
    @MainActor @Entry(.local) fileprivate var promoManager: PassingDependencies.PromoManager?
    @Entry fileprivate var settings: String?
}
