public import Messaging

/// A node of the view hierarchy. It draws nothing: it is the place of a responder in the chain.
@MainActor
open class View: Responder {
    /// The view that this one is in.
    public private(set) weak var superview: View?
    /// The views in this one, the one in front last.
    public private(set) var subviews: [View] = []
    /// The controller whose root view this is.
    public internal(set) weak var viewController: ViewController?

    public override init() {
        super.init()
    }

    /// The view controller whose root view this is, else the superview.
    open override var next: Responder? {
        if let viewController { return viewController }
        return superview
    }

    /// The window that this view is in; a window is in itself.
    public var window: Window? {
        var top = self
        while let superview = top.superview { top = superview }
        return top as? Window
    }

    /// Puts a view in front of the other subviews, out of the view that it was in.
    ///
    /// Does nothing when this view is in `view` or is `view`: a view cannot be in itself.
    open func addSubview(_ view: View) {
        guard !isDescendant(of: view) else { return }
        view.removeFromSuperview()
        subviews.append(view)
        view.superview = self
        tellController()
    }

    /// Takes this view out of its superview.
    open func removeFromSuperview() {
        guard let superview else { return }
        superview.subviews.removeAll { $0 === self }
        self.superview = nil
        superview.tellController()
    }

    /// Whether this view is `view` or is in it, at any depth.
    public func isDescendant(of view: View) -> Bool {
        var current: View? = self
        while let ancestor = current {
            if ancestor === view { return true }
            current = ancestor.superview
        }
        return false
    }

    /// Children of a controller appear and disappear with their views.
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
