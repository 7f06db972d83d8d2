public import Messaging

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

    /// This controller and what it presents, each over the one before. Only a controller without a parent presents.
    var presentationChain: [ViewController] {
        var chain = [self]
        while let above = chain.last?.directlyPresented { chain.append(above) }
        return chain
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
        let dismissed = first.presentationChain
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
