import CBOR
import CoordinatorKit

enum ShopPage: Page {
    case list
    case product(id: Int)
    case basket
}

@ResponderMessages protocol DisplayMessages {
    func globalDisplay(page: ShopPage)
}

extension ResponderChain: DisplayMessages {}

/// A scene with a list at the bottom, product pages above it, and a basket with its own coordinator.
final class ShopCoordinator: SceneCoordinator<ShopPage>, DisplayMessages {
    private(set) var displayed: [ShopPage] = []
    private(set) var containers: [[String]] = []

    override var initialPage: ShopPage? { .list }

    override func resolve(_ link: DeepLink) throws -> ShopPage {
        switch link {
        case .url:
            guard let parts = try link.urlParts(), parts.scheme == "shop" else {
                throw DeepLinkRefusal(link, "it is not of the scheme 'shop'")
            }
            switch parts.path.first {
            case nil: return .list
            case "basket": return .basket
            case "product":
                guard let id = parts.path.last.flatMap({ Int($0) }) else {
                    throw DeepLinkRefusal(link, "a product is a number")
                }
                return .product(id: id)
            default: throw DeepLinkRefusal(link, "there is no such page")
            }
        case .notification(let info):
            guard let id = info["product"]?.intValue else { throw DeepLinkRefusal(link, "it names no product") }
            return .product(id: id)
        case .activity(let activity):
            guard let id = activity.userInfo["id"] else { throw DeepLinkRefusal(link, "it has no id") }
            return .product(id: try id.decode(as: Int.self))
        }
    }

    override func displayPage(_ page: ShopPage) {
        displayed.append(page)
        switch page {
        case .list: root(ShopScreen(page))
        case .product: show(ShopScreen(page))
        case .basket: showChild(at: .all) { BasketCoordinator(rootViewController: rootViewController) }
        }
    }

    override func scenePage(for page: any Page) -> ShopPage? { page is BasketPage ? .basket : page as? ShopPage }

    override func dependenciesDidChange() { containers.append(appDependency?.keys ?? []) }

    func globalDisplay(page: ShopPage) { display(page: page) }
}

final class ShopScreen: ViewController {
    init(_ page: any Page) {
        super.init()
        self.page = page
        title = "\(page)"
    }
}

enum BasketPage: Page {
    case all
    case item(Int)
}

/// Shares the navigation controller of its parent.
final class BasketCoordinator: NavigationCoordinator, PageDisplaying {
    var page = BasketPage.all
    private(set) var displayed: [BasketPage] = []

    override func start() { displayPage() }

    func displayPage() {
        displayed.append(page)
        if viewControllers.contains(where: { $0.page as? BasketPage == page }) { return }
        show(ShopScreen(page))
    }
}

/// An application with one connected scene of a shop.
@MainActor
func shopScene(
    delegate: AppDelegate = AppDelegate(), options: ConnectionOptions = ConnectionOptions()
) throws -> (Application, ShopCoordinator) {
    let application = Application(
        delegate: delegate,
        configurations: [
            SceneConfiguration(name: "Shop", delegateClass: WindowSceneDelegate<ShopCoordinator>.self)
        ])
    let session = try application.requestSceneSessionActivation(options: options)
    guard let coordinator = session.sceneCoordinator as? ShopCoordinator else { throw NoShop() }
    return (application, coordinator)
}

struct NoShop: Error {}

extension NavigationCoordinator {
    /// The titles of the navigation stack, from the bottom.
    var stack: [String] { rootViewController.viewControllers.map { $0.title ?? "?" } }
}
