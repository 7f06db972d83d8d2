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
        let shown = viewControllers.first { $0.page as? ControlRoomPage == page }
        if let shown, rootViewController.viewControllers.contains(shown) { return pop(to: shown) }
        if let shown, isRoot(page) {
            // Another coordinator has replaced the screens. This one is as the user has left it.
            viewControllers = [shown]
            return takeover()
        }
        // Screens that another coordinator has replaced are not shown again.
        viewControllers.removeAll { !rootViewController.viewControllers.contains($0) }
        let screen = makeViewController(for: page)
        if isRoot(page) {
            root(screen)
        } else {
            show(screen)
        }
    }
}
