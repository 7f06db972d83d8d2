public import Messaging

/// One screen or a part of one: what it shows, and what the user can do there.
///
/// A controller does not know where and by whom it is shown. It is in one place at a time: in a parent, presented by
/// another controller, or the root of a window; putting it in one takes it out of the other. What it presents is dismissed
/// when it is put in a container.
@MainActor
open class ViewController: Responder {
    /// What the screen is called.
    open var title: String? {
        didSet { if title != oldValue { setNeedsContentUpdate() } }
    }

    /// The page that this controller shows; set by whoever shows it.
    open var page: (any Page)?

    /// What to keep of this screen besides its page, to show it again in a later scene. Stored soon after it changes.
    open var restorationState: [String: String] = [:] {
        didSet { if restorationState != oldValue { setNeedsContentUpdate() } }
    }

    public override init() {
        super.init()
    }

    // MARK: - Responder chain

    /// The coordinator that manages this controller, when one does so directly.
    public weak var parentCoordinator: (any Coordinating)? {
        didSet { coordinatorInChain = parentCoordinator as? Responder }
    }

    // Cast once, since every message that climbs by here would have to cast again.
    private weak var coordinatorInChain: Responder?

    /// The presenting controller or the superview of the root view. Never loads the view.
    open override var next: Responder? {
        directPresenter ?? loadedView?.superview ?? parent ?? rootWindow
    }

    /// The coordinator of this controller, else its parent, else the controller that presents it, else the superview of
    /// its view. Never loads the view.
    open override var coordinatingResponder: Responder? {
        if let coordinatorInChain { return coordinatorInChain }
        if let parent { return parent }
        if let directPresenter { return directPresenter }
        return loadedView?.superview ?? rootWindow
    }

    // MARK: - Content

    /// What this controller shows; by default its title.
    open var content: ScreenContent { ScreenContent(title: title ?? "") }

    /// Does what the user chose from ``content``.
    /// - Parameters:
    ///   - action: the action's name.
    ///   - fields: the values of the content's fields, by name.
    /// - Throws: ``ScreenActionError`` for an action that the controller does not know: by default every one.
    open func perform(action: String, fields: [String: String]) async throws {
        throw ScreenActionError.unknownAction(action, available: content.availableActions)
    }

    /// Says that ``content`` is another than before, so that it is shown anew.
    public func setNeedsContentUpdate() {
        containingWindow?.contentDidChange()
    }

    // MARK: - View

    private var loadedView: View? {
        didSet {
            if oldValue?.viewController === self { oldValue?.viewController = nil }
            loadedView?.viewController = self
        }
    }

    /// The root view; loaded when it is first asked for.
    public var view: View {
        get {
            if let loadedView { return loadedView }
            loadView()
            let view = loadedView ?? View()
            if loadedView == nil { loadedView = view }
            viewDidLoad()
            return loadedView ?? view
        }
        set {
            guard newValue !== loadedView else { return }
            let superview = loadedView?.superview
            loadedView?.removeFromSuperview()
            loadedView = newValue
            superview?.addSubview(newValue)
        }
    }

    /// Whether the root view is there already.
    public var isViewLoaded: Bool { loadedView != nil }

    /// The root view if it is there already.
    public var viewIfLoaded: View? { loadedView }

    /// Loads the root view unless it is there already.
    public func loadViewIfNeeded() {
        _ = view
    }

    /// Makes the root view and sets ``view``; by default a plain ``View``. An override that reads ``view`` before it has
    /// set it never ends.
    open func loadView() {
        view = View()
    }

    /// The root view has been made.
    open func viewDidLoad() {}
    /// The view is about to be shown in a visible window.
    open func viewWillAppear() {}
    /// The view is shown in a visible window.
    open func viewDidAppear() {}
    /// The view is about to be removed, covered, or hidden with its window.
    open func viewWillDisappear() {}
    /// The view is no longer shown.
    open func viewDidDisappear() {}

    // MARK: - Parent and children

    /// The container that this controller is in.
    public internal(set) weak var parent: ViewController?
    /// The controllers that this one contains.
    public internal(set) var children: [ViewController] = []

    /// About to be put in a container, or with `nil` taken out of one.
    open func willMove(toParent parent: ViewController?) {}
    /// Has been put in a container, or with `nil` taken out of one. A controller that contains others by itself calls it
    /// for a child that it has added.
    open func didMove(toParent parent: ViewController?) {}

    /// Makes a controller a child of this one. Adding its view is up to this controller; the child appears when its view
    /// is in this one's view.
    ///
    /// Does nothing when it is a child already, or when this controller is itself in `child`.
    open func addChild(_ child: ViewController) {
        guard !children.contains(where: { $0 === child }), !isWithin(child) else { return }
        child.leavePlaceForContainer()
        child.willMove(toParent: self)
        children.append(child)
        child.parent = self
        containingWindow?.viewsDidChange()
    }

    /// Takes this controller out of its container. Removing its view is up to the container that added it.
    open func removeFromParent() {
        parent?.removeChild(self)
    }

    func removeChild(_ child: ViewController) {
        guard let index = children.firstIndex(where: { $0 === child }) else { return }
        children.remove(at: index)
        child.parent = nil
        containingWindow?.viewsDidChange()
        child.didMove(toParent: nil)
    }

    func nearestAncestor<Ancestor: ViewController>(_ type: Ancestor.Type) -> Ancestor? {
        var current = parent
        while let ancestor = current {
            if let found = ancestor as? Ancestor { return found }
            current = ancestor.parent
        }
        return nil
    }

    // MARK: - What containers say of themselves

    /// The children that are on the screen when this controller is.
    var visibleChildren: [ViewController] {
        children.filter { child in
            guard let view = loadedView, let childView = child.loadedView else { return false }
            return childView.isDescendant(of: view)
        }
    }

    /// Whether a child's view is put in this controller's view when the child appears.
    var placesChildViews: Bool { false }

    /// What a tab that shows this controller is called.
    var tabTitle: String? { title }

    // MARK: - Presentation

    /// The controller that this very controller presents; containers present for what is in them.
    var directlyPresented: ViewController?
    /// The controller that presents this very controller.
    weak var directPresenter: ViewController?
    /// The window whose root this is.
    weak var rootWindow: Window?

    /// Shows a controller over everything that the window shows, until it is dismissed. The outermost container presents
    /// it, whichever controller in it is asked.
    /// - Parameters:
    ///   - controller: the controller to show.
    ///   - completion: runs when it has appeared.
    /// - Returns: `false` when nothing was done: something is presented from here already, or this controller is itself in
    ///   `controller`.
    @discardableResult
    open func present(_ controller: ViewController, completion: (() -> Void)? = nil) -> Bool {
        presentOverOutermost(controller, completion: completion)
    }

    /// Takes away what is presented from here, with all that it presents itself; where nothing is, this controller itself
    /// when it is presented.
    /// - Parameter completion: runs when that has disappeared; at once when there is nothing to dismiss.
    open func dismiss(completion: (() -> Void)? = nil) {
        dismissPresented(completion: completion)
    }
}
