import Messaging

extension ViewController {
    /// The window whose hierarchy contains this controller, visible or not.
    var containingWindow: Window? {
        var current: ViewController? = self
        while let controller = current {
            if let window = controller.rootWindow { return window }
            current = controller.parent ?? controller.directPresenter
        }
        return nil
    }

    /// Returns whether this controller is `other`, or is contained in it or presented from it, at any depth.
    func isWithin(_ other: ViewController) -> Bool {
        var current: ViewController? = self
        while let controller = current {
            if controller === other { return true }
            current = controller.parent ?? controller.directPresenter
        }
        return false
    }

    /// Makes a change of the hierarchy. Outside any window, no controller appears or disappears.
    func change(_ change: HierarchyChange, _ mutate: () -> Void) {
        if let window = containingWindow {
            window.change(change, mutate)
        } else {
            mutate()
            change.rearrange()
            change.completion()
        }
    }

    /// Removes this controller from its parent, its presenter or its window, so that it can be put in another place.
    func leavePlace() {
        if parent != nil {
            removeFromParent()
            // The container has already removed this controller from its children, and would reset `parent` only after
            // all controllers have been notified.
            parent = nil
            viewIfLoaded?.removeFromSuperview()
        }
        if let directPresenter {
            if directPresenter.directlyPresented === self { directPresenter.dismiss() }
            self.directPresenter = nil
        }
        if let rootWindow { rootWindow.rootViewController = nil }
    }

    /// Removes this controller from its place and dismisses what it presents, so that it can be put in a container.
    /// Only the outermost container presents controllers.
    func leavePlaceForContainer() {
        leavePlace()
        if directlyPresented != nil { dismiss() }
    }

    /// Replaces the children of a container. All containers use this method.
    /// - Parameters:
    ///   - wanted: The new children. Repeated controllers, and controllers that contain this container, are left out.
    ///   - inPlace: Called when the children are in place, before any controller is notified of appearing or
    ///     disappearing.
    ///   - completion: Called with the removed children when all controllers have been notified.
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

    /// Removes the views of those controllers that are no longer visible in this controller.
    func removeViews(of controllers: [ViewController]) {
        let visible = visibleChildren
        for controller in controllers where !visible.contains(where: { $0 === controller }) {
            if let view = controller.viewIfLoaded, view.superview === viewIfLoaded { view.removeFromSuperview() }
        }
    }
}
