import Messaging

extension ViewController {
    /// The controller that this controller, or a container of it, presents.
    public var presentedViewController: ViewController? {
        firstOfSelfAndAncestors(\.directlyPresented)
    }

    /// The controller that presents this controller, or a container of it.
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

    /// This controller and the controllers that are presented over it, in order. Only a controller without a parent
    /// presents.
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
        // `leavePlace()` calls methods of the controllers, which may have presented something.
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
            // `directPresenter` is kept until the completion, so that a controller can still read its presenter while
            // it is notified that it disappears.
            for controller in dismissed { controller.directPresenter?.directlyPresented = nil }
        }
    }

    private func removeViewUnlessPlaced() {
        guard parent == nil, rootWindow == nil, directPresenter?.directlyPresented !== self else { return }
        viewIfLoaded?.removeFromSuperview()
    }
}
