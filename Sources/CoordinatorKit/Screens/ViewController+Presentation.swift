extension ViewController {
    /// The controller that this one, or a container that it is in, presents.
    public var presentedViewController: ViewController? {
        firstOfSelfAndAncestors(\.directlyPresented)
    }

    /// The controller that presents this one, or a container that it is in.
    public var presentingViewController: ViewController? {
        firstOfSelfAndAncestors(\.directPresenter)
    }

    private func firstOfSelfAndAncestors(
        _ related: KeyPath<ViewController, ViewController?>
    ) -> ViewController? {
        var current: ViewController? = self
        while let controller = current {
            if let found = controller[keyPath: related] { return found }
            current = controller.parent
        }
        return nil
    }

    /// What is presented by this controller or by anything that is visible in it.
    var presentedWithin: ViewController? {
        if let directlyPresented { return directlyPresented }
        for child in visibleChildren {
            if let presented = child.presentedWithin { return presented }
        }
        return nil
    }

    func presentOverOutermost(_ controller: ViewController, completion: (() -> Void)?) -> Bool {
        guard presentedViewController == nil, !isWithin(controller) else { return false }
        controller.leavePlace()
        var presenter = self
        while let parent = presenter.parent { presenter = parent }
        // Leaving a place runs code of the user's, which may have presented something.
        guard presenter.directlyPresented == nil else { return false }
        presenter.change(HierarchyChange(order: .modal, completion: { completion?() })) {
            presenter.directlyPresented = controller
            controller.directPresenter = presenter
        }
        return true
    }

    func dismissPresented(completion: (() -> Void)?) {
        guard let first = presentedViewController else {
            if let presenter = presentingViewController {
                presenter.dismiss(completion: completion)
            } else {
                completion?()
            }
            return
        }
        var dismissed = [first]
        while let last = dismissed.last, let above = last.presentedWithin { dismissed.append(above) }
        let presenter = first.directPresenter ?? self
        let change = HierarchyChange(
            order: .modal,
            rearrange: { for controller in dismissed { controller.removeViewUnlessPlaced() } },
            completion: {
                for controller in dismissed where controller.directPresenter?.directlyPresented !== controller {
                    controller.directPresenter = nil
                }
                completion?()
            })
        presenter.change(change) {
            // A dismissed controller can still ask who presented it while it is told that it disappears.
            for controller in dismissed { controller.directPresenter?.directlyPresented = nil }
        }
    }

    private func removeViewUnlessPlaced() {
        guard parent == nil, rootWindow == nil, directPresenter?.directlyPresented !== self else { return }
        viewIfLoaded?.removeFromSuperview()
    }
}
