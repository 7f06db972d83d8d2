public import Messaging

/// A coordinator whose screens are pages: others say what to show, and this one knows how.
@MainActor
public protocol PageDisplaying<CoordinatorPage>: Coordinating {
    /// The pages that it can show.
    associatedtype CoordinatorPage: Page
    /// The page to show at the start, or the one that was asked for last.
    var page: CoordinatorPage { get set }
    /// Whether it has been started.
    var isStarted: Bool { get }
    /// Shows ``page``; called only once started.
    func displayPage()
}

extension PageDisplaying {
    /// Shows a page: at once when the coordinator runs, at its start when it does not yet run.
    public func display(page: CoordinatorPage) {
        self.page = page
        if isStarted { displayPage() }
    }
}

extension Coordinating {
    /// Shows a page of the running child of a type, or makes one and starts it at that page.
    /// - Returns: the child.
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
