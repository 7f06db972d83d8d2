import CoordinatorKit

/// The base class of the children of the scene's coordinator. They share its navigation controller and show pages.
@MainActor
class PageCoordinator: NavigationCoordinator, PageDisplaying, NeedsDependency {
    var page = ControlRoomPage.overview

    var appDependency: AppDependency?

    override func start() {
        displayPage()
    }

    /// Creates the screen of a page.
    func makeViewController(for page: ControlRoomPage) -> ViewController {
        preconditionFailure("\(type(of: self)) shows no pages")
    }

    /// Whether a page starts a new navigation stack instead of being pushed onto the current one.
    func isRoot(_ page: ControlRoomPage) -> Bool { false }

    func displayPage() {
        if let shown = viewControllers.first(where: { $0.page as? ControlRoomPage == page }) {
            if rootViewController.viewControllers.contains(shown) { return pop(to: shown) }
            if isRoot(page), shown === viewControllers.first {
                // Another coordinator has replaced the screens. They are as the user has left them.
                takeover()
                return pop(to: shown)
            }
        }
        let screen = makeViewController(for: page)
        if isRoot(page) {
            root(screen)
        } else {
            show(screen)
        }
    }
}
