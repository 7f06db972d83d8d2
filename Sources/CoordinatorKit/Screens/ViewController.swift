public import Messaging

/// A screen or a part of one: its content, and the actions that the user can perform.
///
/// A controller does not know where it is shown or which object shows it. It is in one place at a time: in a parent,
/// presented by another controller, or the root of a window. Putting it in a new place removes it from the old one.
/// When it is put in a container, the controller that it presents is dismissed.
@MainActor
open class ViewController: Responder {
    /// The screen's title.
    open var title: String? {
        didSet { if title != oldValue { setNeedsContentUpdate() } }
    }

    /// The page that this controller shows. The coordinator that shows the controller sets it.
    open var page: (any Page)?

    /// The page of the scene's coordinator that led to this controller.
    var scenePage: (any Page)?

    /// Whether a child coordinator has shown this controller without a page.
    final var isShownWithoutPage = false

    /// The data, in addition to the page, from which the screen is restored in a later scene. It is stored soon after
    /// it changes.
    open var restorationState: [String: String] = [:] {
        didSet { if restorationState != oldValue { setNeedsContentUpdate() } }
    }

    /// Whether the tabs of a tab bar controller are hidden while this controller is on the stack of its selected tab,
    /// and is not the bottom of the stack.
    open var hidesBottomBarWhenPushed = false {
        didSet { if hidesBottomBarWhenPushed != oldValue { setNeedsContentUpdate() } }
    }

    public override init() {
        super.init()
        declarePassing(by: ViewController.self)
    }

    // MARK: - Responder chain

    /// The coordinator that manages this controller directly, if any.
    public weak var parentCoordinator: (any Coordinating)? {
        didSet { coordinatorInChain = parentCoordinator as? Responder }
    }

    // The coordinator as a responder. It is cast once, so that messages that climb past need no cast.
    private weak var coordinatorInChain: Responder?

    /// The controller that presents this one, else the superview of its view, else its parent, else its window. The
    /// view is not loaded.
    open override var next: Responder? {
        directPresenter ?? loadedView?.superview ?? parent ?? rootWindow
    }

    /// The coordinator of this controller, else its parent, else the controller that presents it, else the superview of
    /// its view, else its window. The view is not loaded.
    open override var coordinatingResponder: Responder? {
        if let coordinatorInChain { return coordinatorInChain }
        if let parent { return parent }
        if let directPresenter { return directPresenter }
        return loadedView?.superview ?? rootWindow
    }

    // MARK: - Content

    /// What this controller shows, as parts with actions; `nil` if it has a plain ``content`` instead.
    ///
    /// A navigation or tab bar controller shows these parts below those of the child that it shows.
    open var screen: Screen? { nil }

    /// The plain form of what this controller shows: by default of ``screen``, or else its title.
    ///
    /// Override it instead of ``screen`` to show texts, items, fields and actions as values, and to perform the actions by
    /// their names.
    open var content: ScreenContent {
        guard let own = ownScreen else { return ScreenContent(title: title ?? "") }
        let plain = own.plain
        // Not otherwise: the closures of a screen may keep this controller.
        if isReadingScreen { drawn = (own, plain) }
        return plain
    }

    /// The screen of this controller without what an override of ``content`` changes. Containers add what they contain.
    var ownScreen: Screen? { screen }

    /// The screen from which ``content`` was made last, while ``shownScreen`` is read, and its plain form.
    private var drawn: (screen: Screen, plain: ScreenContent)?
    private var isReadingScreen = false

    /// What this controller shows, whether it is written as ``screen`` or as ``content``.
    final var shownScreen: Screen {
        isReadingScreen = true
        defer {
            isReadingScreen = false
            drawn = nil
        }
        let content = content
        // An override of `content` may have added something to the plain form. Without one this is a copy of it, and the plain
        // form, of which each text takes longer than its block, is not even made.
        if let drawn, drawn.plain == content { return drawn.screen }
        return Screen(content)
    }

    /// Performs an action of ``screen`` or ``content``.
    /// - Parameters:
    ///   - action: The action's name.
    ///   - fields: The values of the fields, by name.
    /// - Throws: ``ScreenActionError`` for an action that the controller does not have, and what the action of the screen
    ///   throws.
    open func perform(action: String, fields: [String: String]) async throws {
        guard let screen else { throw ScreenActionError.unknownAction(action, available: content.availableActions) }
        try await screen.perform(action, fields: fields)
    }

    /// Reports that ``screen`` or ``content`` has changed and must be shown again.
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

    /// The root view. It is loaded when it is first read.
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

    /// Whether the root view has been loaded.
    public var isViewLoaded: Bool { loadedView != nil }

    /// The root view if it has been loaded.
    public var viewIfLoaded: View? { loadedView }

    /// Loads the root view unless it has been loaded.
    public func loadViewIfNeeded() {
        _ = view
    }

    /// Makes the root view, by default a plain ``View``, and sets ``view``. An override must not read ``view`` before
    /// it has set it, because that calls this method again without end.
    open func loadView() {
        view = View()
    }

    /// Called when the root view has been loaded.
    open func viewDidLoad() {}
    /// Called before the view is shown in a visible window.
    open func viewWillAppear() {}
    /// Calls ``viewWillAppear()``. `animated` is `false`, because nothing is animated.
    open func viewWillAppear(_ animated: Bool) { viewWillAppear() }
    /// Called when the view is shown in a visible window.
    open func viewDidAppear() {}
    /// Calls ``viewDidAppear()``. `animated` is `false`, because nothing is animated.
    open func viewDidAppear(_ animated: Bool) { viewDidAppear() }
    /// Called before the view is removed, covered, or hidden with its window.
    open func viewWillDisappear() {}
    /// Calls ``viewWillDisappear()``. `animated` is `false`, because nothing is animated.
    open func viewWillDisappear(_ animated: Bool) { viewWillDisappear() }
    /// Called when the view is no longer shown.
    open func viewDidDisappear() {}
    /// Calls ``viewDidDisappear()``. `animated` is `false`, because nothing is animated.
    open func viewDidDisappear(_ animated: Bool) { viewDidDisappear() }

    // MARK: - Parent and children

    /// The container of this controller.
    public internal(set) weak var parent: ViewController?
    /// The controllers that this one contains.
    public internal(set) var children: [ViewController] = []

    /// Called before this controller is put in a container or, with `nil`, removed from one.
    open func willMove(toParent parent: ViewController?) {}
    /// Called when this controller has been put in a container or, with `nil`, removed from one. A custom container
    /// must call it for a child that it has added with ``addChild(_:)``.
    open func didMove(toParent parent: ViewController?) {}

    /// Makes a controller a child of this one. This controller must add the child's view. The child appears when its
    /// view is in this controller's view.
    ///
    /// Does nothing if it is already a child, or if `child` contains this controller.
    open func addChild(_ child: ViewController) {
        guard !children.contains(where: { $0 === child }), !isWithin(child) else { return }
        child.leavePlaceForContainer()
        child.willMove(toParent: self)
        children.append(child)
        child.parent = self
        containingWindow?.viewsDidChange()
    }

    /// Removes this controller from its container. A container that has added the view itself must also remove it.
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

    /// This controller and all that it contains.
    var selfAndDescendants: [ViewController] { [self] + children.flatMap(\.selfAndDescendants) }

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

    /// The title of a tab that shows this controller.
    var tabTitle: String? { title }

    // MARK: - Presentation

    /// The controller that this controller itself presents. Containers present on behalf of the controllers in them.
    var directlyPresented: ViewController?
    /// The controller that presents this controller itself, rather than a container of it.
    weak var directPresenter: ViewController?
    /// The window whose root view controller this is.
    weak var rootWindow: Window?

    /// Presents a controller over the window's content until it is dismissed. The outermost container of this
    /// controller presents it.
    /// - Parameters:
    ///   - controller: The controller to present.
    ///   - completion: Runs when the controller has appeared.
    /// - Returns: `false` if nothing was done, because something is already presented from here or because `controller`
    ///   contains this controller.
    @discardableResult
    open func present(_ controller: ViewController, completion: (() -> Void)? = nil) -> Bool {
        presentOverOutermost(controller, completion: completion)
    }

    /// Dismisses the controller that is presented from here, with all that it presents itself. If there is none,
    /// dismisses this controller if it is presented.
    /// - Parameter completion: Runs when the controllers have disappeared, or at once if there is nothing to dismiss.
    open func dismiss(completion: (() -> Void)? = nil) {
        dismissPresented(completion: completion)
    }
}
