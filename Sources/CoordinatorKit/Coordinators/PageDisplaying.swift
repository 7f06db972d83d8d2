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
    /// Shows ``page``. It is called only after the coordinator has been started.
    func displayPage()
    /// Shows a page at once if the coordinator has been started, else when it starts.
    func display(page: CoordinatorPage)
}

extension PageDisplaying {
    /// Shows a page at once if the coordinator has been started, else when it starts.
    public func display(page: CoordinatorPage) {
        self.page = page
        if isStarted { displayPage() }
    }
}

extension Coordinating {
    /// Shows a page in the first running child of a type. If there is none, makes a child and starts it at the page.
    /// - Returns: The child.
    @discardableResult
    public func showChild<Child: PageDisplaying>(
        at page: Child.CoordinatorPage, make: () -> Child
    ) -> Child {
        if let child = child(matching: Child.self) {
            child.activate()
            child.display(page: page)
            return child
        }
        let child = make()
        child.display(page: page)
        startChild(child)
        return child
    }
}
