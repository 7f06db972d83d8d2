public import Messaging

/// The top of a scene's view hierarchy: shows a root view controller, and whatever is presented over it.
@MainActor
open class Window: View {
    /// The responder after the window: its scene.
    public weak var nextResponder: Responder?

    /// Called after a change of what the window shows: a push, a pop, a presentation, a selected tab, another root, a
    /// call of ``ViewController/setNeedsContentUpdate()``. Once for each change, with whatever it brought about.
    public var onContentChange: (() -> Void)?

    private var root: ViewController?
    private var hidden = true
    /// The controllers that have been told that they are on the screen.
    private var shown: [ViewController] = []
    private var pending: [HierarchyChange] = []
    private var changeDepth = 0
    private var isContentChanged = false
    private var isUpdatingAppearance = false

    public override init() {
        super.init()
    }

    open override var next: Responder? { nextResponder }

    /// The controller that the window shows. Setting it takes the controller out of wherever it was before.
    public var rootViewController: ViewController? {
        get { root }
        set { setRoot(newValue) }
    }

    /// Whether the window shows nothing. A new window is hidden.
    public var isHidden: Bool {
        get { hidden }
        set {
            guard newValue != hidden else { return }
            change(HierarchyChange(order: .root)) { hidden = newValue }
        }
    }

    /// Shows the window. It takes the input of its scene, of which it is the only window.
    public func makeKeyAndVisible() {
        isHidden = false
    }

    // MARK: - Content

    /// What the user sees now: the topmost presented controller, else the root, in containers what is visible in them.
    ///
    /// A presented controller has the action `dismiss` besides its own. A hidden window shows nothing.
    public var content: ScreenContent {
        guard !hidden, let top = topmostViewController else { return ScreenContent() }
        var content = top.content
        if offersDismiss(top, content) {
            content.actions.append(ScreenContent.Action(name: Self.dismissAction, label: "Close"))
        }
        return content
    }

    /// Does what the user chose from ``content``.
    /// - Parameters:
    ///   - action: the name of an action of the content, or of the action that selects an item.
    ///   - fields: the values of the content's fields, by name.
    /// - Throws: ``ScreenActionError`` when the content has no such action or it is disabled, and what the controller
    ///   throws.
    public func perform(action: String, fields: [String: String] = [:]) async throws {
        try content.check(action: action)
        guard let top = topmostViewController else { return }
        if action == Self.dismissAction, offersDismiss(top, top.content) {
            top.directPresenter?.dismiss()
        } else {
            try await top.perform(action: action, fields: fields)
        }
    }

    private static let dismissAction = "dismiss"

    private func offersDismiss(_ top: ViewController, _ content: ScreenContent) -> Bool {
        top.directPresenter != nil && !content.lists(action: Self.dismissAction)
    }

    /// The controller that covers all others: the one that was presented last, else the root.
    private var topmostViewController: ViewController? {
        root?.presentationChain.last
    }

    // MARK: - Changes of the hierarchy

    private func setRoot(_ controller: ViewController?) {
        let old = root
        guard controller !== old else { return }
        let rearrange = { [weak self] in
            guard let old, old !== self?.root else { return }
            for controller in old.presentationChain {
                if let view = controller.viewIfLoaded, view.superview === self { view.removeFromSuperview() }
            }
        }
        change(HierarchyChange(order: .root, rearrange: rearrange)) {
            controller?.leavePlace()
            old?.rootWindow = nil
            controller?.rootWindow = self
            root = controller
        }
    }

    /// Makes a change and lets everybody know: first the controllers that appear and disappear, then whoever waits for
    /// the change's completion, then, when this was the outermost change, the owner of the window.
    ///
    /// A change that a controller makes while it is told of another one takes effect at once, but the controllers are told
    /// of it afterwards: nobody disappears who has not appeared yet.
    func change(_ change: HierarchyChange, _ mutate: () -> Void) {
        isContentChanged = true
        asOneChange {
            mutate()
            pending.append(change)
            settle()
        }
    }

    /// Something that is shown has other content than before.
    func contentDidChange() {
        isContentChanged = true
        asOneChange {}
    }

    /// Views of child controllers came or went.
    func viewsDidChange() {
        asOneChange { settle() }
    }

    private func asOneChange(_ body: () -> Void) {
        changeDepth += 1
        body()
        changeDepth -= 1
        guard changeDepth == 0, isContentChanged else { return }
        isContentChanged = false
        onContentChange?()
    }

    private func settle() {
        // Whoever is telling the controllers looks again when it has finished.
        guard !isUpdatingAppearance else { return }
        var hasChanged: Bool
        repeat {
            let due = pending
            pending = []
            isUpdatingAppearance = true
            hasChanged = updateAppearance(for: due)
            isUpdatingAppearance = false
            for change in due { change.completion() }
        } while hasChanged || !pending.isEmpty
    }

    /// - Returns: whether any controller has been told of anything.
    private func updateAppearance(for changes: [HierarchyChange]) -> Bool {
        var visible = visibleViewControllers
        while let unloaded = visible.first(where: { !$0.isViewLoaded }) {
            // Loading a view may bring children.
            unloaded.loadViewIfNeeded()
            visible = visibleViewControllers
        }
        let before = shown
        shown = visible
        let change = AppearanceChange(
            leaving: before.filter { controller in !visible.contains { $0 === controller } },
            entering: visible.filter { controller in !before.contains { $0 === controller } })
        change.run(order: changes.last?.order ?? .navigation) {
            for change in changes { change.rearrange() }
            for controller in change.entering { place(controller) }
        }
        return !change.leaving.isEmpty || !change.entering.isEmpty
    }

    private var visibleViewControllers: [ViewController] {
        guard !hidden, let top = topmostViewController else { return [] }
        var visible = [top]
        var index = 0
        while index < visible.count {
            visible.insert(contentsOf: visible[index].visibleChildren, at: index + 1)
            index += 1
        }
        return visible
    }

    /// Puts a controller's view where it belongs, unless that is its parent's own business.
    private func place(_ controller: ViewController) {
        let place: View?
        if controller === root || controller.directPresenter != nil {
            place = self
        } else if let parent = controller.parent, parent.placesChildViews {
            place = parent.view
        } else {
            place = nil
        }
        if let place, controller.view.superview !== place { place.addSubview(controller.view) }
    }
}
