public import Messaging

extension ViewController {
    /// The window whose hierarchy this controller is in, visible there or not.
    var containingWindow: Window? {
        var current: ViewController? = self
        while let controller = current {
            if let window = controller.rootWindow { return window }
            current = controller.parent ?? controller.directPresenter
        }
        return nil
    }

    /// Whether this controller is `other`, or in it, or presented from it, at any depth.
    func isWithin(_ other: ViewController) -> Bool {
        var current: ViewController? = self
        while let controller = current {
            if controller === other { return true }
            current = controller.parent ?? controller.directPresenter
        }
        return false
    }

    /// Makes a change of the hierarchy; outside of any window nobody appears or disappears.
    func change(_ change: HierarchyChange, _ mutate: () -> Void) {
        if let window = containingWindow {
            window.change(change, mutate)
        } else {
            mutate()
            change.rearrange()
            change.completion()
        }
    }

    /// Goes from wherever it is, so that it can be put elsewhere.
    func leavePlace() {
        if parent != nil {
            removeFromParent()
            // Its container has let go of it already, and only waits until everybody has been told.
            parent = nil
            viewIfLoaded?.removeFromSuperview()
        }
        if let directPresenter {
            if directPresenter.directlyPresented === self { directPresenter.dismiss() }
            self.directPresenter = nil
        }
        if let rootWindow { rootWindow.rootViewController = nil }
    }

    /// Goes from wherever it is to be put in a container, where it presents nothing by itself.
    func leavePlaceForContainer() {
        leavePlace()
        if directlyPresented != nil { dismiss() }
    }

    /// Gives a container other children: the part that all containers share.
    /// - Parameters:
    ///   - wanted: the children to have; each counts once, and one that this container is in itself is left out.
    ///   - inPlace: called when the children are in place, before anybody is told.
    ///   - completion: called with those that went, when everybody has been told.
    func replaceChildren(
        with wanted: [ViewController], inPlace: () -> Void, completion: @escaping ([ViewController]) -> Void
    ) {
        var new: [ViewController] = []
        for controller in wanted where !new.contains(where: { $0 === controller }) && !isWithin(controller) {
            new.append(controller)
        }
        for controller in new where !hasChild(controller) { controller.leavePlaceForContainer() }
        let old = children
        guard !old.elementsEqual(new, by: ===) else { return }
        let removed = old.filter { controller in !new.contains { $0 === controller } }
        let added = new.filter { controller in !old.contains { $0 === controller } }
        let whole = HierarchyChange(
            order: .navigation,
            rearrange: { self.removeViews(of: old) },
            completion: {
                for controller in removed where controller.parent === self && !self.hasChild(controller) {
                    controller.parent = nil
                    controller.didMove(toParent: nil)
                }
                for controller in added where self.hasChild(controller) { controller.didMove(toParent: self) }
                completion(removed)
            })
        change(whole) {
            for controller in removed { controller.willMove(toParent: nil) }
            for controller in added { controller.willMove(toParent: self) }
            children = new
            for controller in added { controller.parent = self }
            inPlace()
        }
    }

    func hasChild(_ controller: ViewController) -> Bool {
        children.contains { $0 === controller }
    }

    /// Removes the views of controllers that are in this controller's view and should not be seen there any more.
    func removeViews(of controllers: [ViewController]) {
        let visible = visibleChildren
        for controller in controllers where !visible.contains(where: { $0 === controller }) {
            if let view = controller.viewIfLoaded, view.superview === viewIfLoaded { view.removeFromSuperview() }
        }
    }
}
