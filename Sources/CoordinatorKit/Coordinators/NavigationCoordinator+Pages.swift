extension NavigationCoordinator {
    /// Notes the page on a view controller that a child coordinator shows by itself: the one that it has set as its
    /// ``PageDisplaying/page`` since the last page was noted. Without one, the screen cannot be restored.
    func noteOwnPage(on viewController: ViewController) {
        guard isStarted, parent != nil, !NotingPages.isActive, viewController.page == nil else { return }
        // `startChild(_:)` has cast it before, so that the runtime knows the answer.
        if let paged = self as? any PageDisplaying, let page = paged.pageToNote {
            viewController.page = page
            notedPage = page
        } else {
            viewController.isShownWithoutPage = true
        }
    }
}

extension PageDisplaying {
    /// The page, if it has been set since a page was noted last.
    fileprivate var pageToNote: CoordinatorPage? {
        ((self as? AnyCoordinator)?.notedPage as? CoordinatorPage) == page ? nil : page
    }
}
