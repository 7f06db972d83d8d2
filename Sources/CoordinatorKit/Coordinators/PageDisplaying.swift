import CBOR
import Messaging

/// A coordinator whose screens are pages. Other code selects a page, and the coordinator shows it.
@MainActor
public protocol PageDisplaying<CoordinatorPage>: Coordinating {
    /// The pages that the coordinator can show.
    associatedtype CoordinatorPage: Page
    /// The page to show at the start, or the page that was requested last.
    var page: CoordinatorPage { get set }
    /// Whether the coordinator has been started.
    var isStarted: Bool { get }
    /// Shows ``page``. It is called only after the coordinator has been started. The view controller that it shows gets
    /// the page as its ``ViewController/page``, unless it has one.
    func displayPage()
    /// Shows a page at once if the coordinator has been started, else when it starts.
    func display(page: CoordinatorPage)
}

extension PageDisplaying {
    /// Shows an encoded page.
    /// - Returns: `false` if nothing was done, because it is not a page of this coordinator.
    func display(encoded page: CBORValue) -> Bool {
        guard let page = try? page.decode(as: CoordinatorPage.self) else { return false }
        self.page = page
        display(page: page)
        return true
    }

    /// Shows a page at once if the coordinator has been started, else when it starts.
    public func display(page: CoordinatorPage) {
        self.page = page
        if isStarted { noting(page) { displayPage() } }
    }
}

extension Coordinating {
    /// Runs a body that shows a page, and notes the page on the topmost view controller that the body has added to the
    /// stack or has presented; if there is none, on the one that it has added to the selected tab. A view controller
    /// that has a page keeps it.
    func noting(_ page: any Page, _ body: () -> Void) {
        guard let root = (self as? AnyCoordinator)?.root else { return body() }
        let (before, beforeInTabs) = (root.screens, root.screensAndTabs)
        NotingPages.within(body)
        (self as? AnyCoordinator)?.notedPage = page
        let shown =
            root.screens.last { !before.contains($0) } ?? root.screensAndTabs.last { !beforeInTabs.contains($0) }
        if let shown, shown.page == nil { shown.page = page }
    }
}

/// Whether a page is being shown, or a coordinator started. The screens that are shown meanwhile get their pages from
/// whoever shows the page.
@MainActor
enum NotingPages {
    private static var depth = 0

    static var isActive: Bool { depth > 0 }

    static func within(_ body: () -> Void) {
        depth += 1
        body()
        depth -= 1
    }
}

extension Coordinating {
    /// Shows a page in the first running child of a type. If there is none, makes a child and starts it at the page.
    /// - Returns: The child.
    @discardableResult
    public func showChild<Child: PageDisplaying>(
        at page: Child.CoordinatorPage, make: () -> Child
    ) -> Child {
        let page = NestedPage.take(as: Child.CoordinatorPage.self) ?? page
        if let child = child(matching: Child.self) {
            child.activate()
            child.page = page
            child.noting(page) { child.display(page: page) }
            return child
        }
        let child = make()
        child.page = page
        if child.isStarted { child.noting(page) { child.display(page: page) } }
        startChild(child)
        return child
    }
}

/// The page of a child coordinator that a scene is being restored to, while the scene's coordinator shows the page that
/// it belongs to.
@MainActor
enum NestedPage {
    private static var encoded: CBORValue?

    /// Runs a body in which the first child that is shown at a page, and can show this one, shows this one.
    /// - Returns: Whether a child has shown it.
    static func with(_ page: CBORValue, _ body: () -> Void) -> Bool {
        let outer = encoded
        encoded = page
        body()
        defer { encoded = outer }
        return encoded == nil
    }

    static func take<P: Page>(as type: P.Type) -> P? {
        guard let page = try? encoded?.decode(as: type) else { return nil }
        encoded = nil
        return page
    }
}
