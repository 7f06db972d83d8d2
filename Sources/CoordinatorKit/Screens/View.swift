public import Messaging

/// A node of the view hierarchy. It draws nothing, and is only a responder in the chain.
@MainActor
open class View: Responder {
    /// The view that contains this one.
    public private(set) weak var superview: View?
    /// The views in this one, from back to front.
    public private(set) var subviews: [View] = []
    /// The controller whose root view this is.
    public internal(set) weak var viewController: ViewController?

    public override init() {
        super.init()
        declarePassing(by: View.self)
    }

    /// The view controller whose root view this is, else the superview.
    open override var next: Responder? {
        if let viewController { return viewController }
        return superview
    }

    /// The window that contains this view. For a window, it is the window itself.
    public var window: Window? {
        var top = self
        while let superview = top.superview { top = superview }
        return top as? Window
    }

    /// Adds a view in front of the other subviews, and removes it from its previous superview.
    ///
    /// Does nothing if `view` is this view or contains it.
    open func addSubview(_ view: View) {
        guard !isDescendant(of: view) else { return }
        view.removeFromSuperview()
        subviews.append(view)
        view.superview = self
        tellController()
    }

    /// Removes this view from its superview.
    open func removeFromSuperview() {
        guard let superview else { return }
        superview.subviews.removeAll { $0 === self }
        self.superview = nil
        superview.tellController()
    }

    /// Returns whether this view is `view` or is in it, at any depth.
    public func isDescendant(of view: View) -> Bool {
        var current: View? = self
        while let ancestor = current {
            if ancestor === view { return true }
            current = ancestor.superview
        }
        return false
    }

    /// Tells the window that views have changed, because the children of a controller appear and disappear with their
    /// views.
    private func tellController() {
        var current: View? = self
        while let view = current {
            if let controller = view.viewController {
                if !controller.children.isEmpty { controller.containingWindow?.viewsDidChange() }
                return
            }
            current = view.superview
        }
    }
}
