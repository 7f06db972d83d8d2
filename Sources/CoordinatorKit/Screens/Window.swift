public import Messaging
package import SceneContent

/// The top of a scene's view hierarchy. It shows a root view controller and the controllers that are presented over it.
@MainActor
open class Window: View {
    /// The next responder, which is the window's scene.
    public weak var nextResponder: Responder?

    /// Called after a change of the window's content: a push, a pop, a presentation, a selected tab, another root, or a
    /// call of ``ViewController/setNeedsContentUpdate()``. It is called once for a change and all changes that result
    /// from it.
    public var onContentChange: (() -> Void)?

    private var root: ViewController?
    private var hidden = true
    /// The controllers that have been notified that they are on the screen.
    private var shown: [ViewController] = []
    private var pending: [HierarchyChange] = []
    private var changeDepth = 0
    private var isContentChanged = false
    private var isUpdatingAppearance = false

    public override init() {
        super.init()
        declarePassing(by: Window.self)
    }

    open override var next: Responder? { nextResponder }

    /// The controller that the window shows. Setting it removes the controller from its previous place.
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

    /// Shows the window. It takes all input of its scene, because a scene has only one window.
    public func makeKeyAndVisible() {
        isHidden = false
    }

    // MARK: - Content

    /// The content that the user sees: that of the topmost presented controller, else that of the root. A navigation or
    /// tab bar controller has the content of the child that it shows.
    ///
    /// The content of a presented controller also has the action `dismiss`. A hidden window has no content.
    public var content: ScreenContent {
        guard !hidden, let top = topmostViewController else { return ScreenContent() }
        var content = top.content
        if top.directPresenter != nil, !content.lists(action: Self.dismissAction) {
            content.actions.append(ScreenContent.Action(name: Self.dismissAction, label: "Close"))
        }
        return content
    }

    /// Performs an action of ``content``.
    /// - Parameters:
    ///   - action: The name of an action of the content, or of the action that selects an item.
    ///   - fields: The values of the content's fields that the user has changed, by name. They are stored, and the controller
    ///     gets those of all fields.
    /// - Throws: ``ScreenActionError`` if the content does not have the action or if it is disabled, and if a field cannot
    ///   take its value; the errors of the controller.
    public func perform(action: String, fields: [String: String] = [:]) async throws {
        guard !hidden, let top = topmostViewController else {
            throw ScreenActionError.unknownAction(action, available: [])
        }
        let screen = top.shownScreen
        // Who leaves the screen stores nothing.
        if action == Self.dismissAction, offersDismiss(top, screen) {
            top.directPresenter?.dismiss()
            return
        }
        if !screen.allows(action: action) {
            do {
                try content.check(action: action)
            } catch {
                throw error.saying(screen.reason(against: action) ?? "")
            }
        }
        // Also those of a container's own parts, whichever of its children performs the action.
        guard !screen.leads(away: action) else { return try await top.perform(action: action, fields: fields) }
        try screen.store(fields, before: action)
        let filledIn = (fields.isEmpty ? screen : top.shownScreen).values.filter { fields[$0.key] == nil }
        try await SettledFields.$values.withValue(filledIn.merging(screen.bound(fields)) { $1 }) {
            try await top.perform(action: action, fields: fields.merging(filledIn) { $1 })
        }
    }

    /// What the user sees, with all that a screen can say: the root's screen, and those that are presented over it.
    package var layers: SceneLayers { layersWithImages.layers }

    /// The same with the images that it shows, by their hashes.
    package var layersWithImages: (layers: SceneLayers, images: [String: ImageData]) {
        guard !hidden, let root else { return (SceneLayers(), [:]) }
        var images: [String: ImageData] = [:]
        let layers = root.presentationChain.enumerated().map { index, controller in
            var screen = controller.shownScreen
            if offersDismiss(controller, screen) {
                screen.append(Screen { Action("Close", name: Self.dismissAction) {} })
            }
            images.merge(screen.parts.images) { first, _ in first }
            return screen.layer(key: layerKey(of: controller, at: index))
        }
        return (SceneLayers(layers), images)
    }

    private func layerKey(of controller: ViewController, at index: Int) -> String {
        "\(index == 0 ? "screen" : "sheet.\(index)") \(controller.shownIdentity)"
    }

    /// Stores what the user has typed into the fields of the layer that takes input, before an action sends it. What a field
    /// cannot take is left out: it may be half of a number.
    /// - Parameter layer: the key of the layer in which it was typed.
    /// - Returns: `false` if another layer takes input now.
    package func fill(_ fields: [String: String], in layer: String) -> Bool {
        guard takesInput(in: layer), let top = topmostViewController else { return false }
        // One change, however many fields.
        asOneChange { top.shownScreen.store(fields) }
        return true
    }

    /// Those of some fields whose values the screen that takes input keeps and shows.
    package func bound(_ fields: [String: String]) -> [String: String] {
        fields.isEmpty ? [:] : topmostViewController?.shownScreen.bound(fields) ?? [:]
    }

    /// Whether the layer with a key is the one that takes input now.
    package func takesInput(in layer: String) -> Bool {
        guard !hidden, let chain = root?.presentationChain, let top = chain.last else { return false }
        return layerKey(of: top, at: chain.count - 1) == layer
    }

    private static let dismissAction = "dismiss"

    private func offersDismiss(_ top: ViewController, _ screen: Screen) -> Bool {
        top.directPresenter != nil && !screen.lists(action: Self.dismissAction)
    }

    /// The topmost controller: the one that was presented last, else the root.
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

    /// Makes a change. Then notifies the controllers that appear and disappear, runs the change's completion and, after
    /// the outermost change, calls ``onContentChange``.
    ///
    /// A change that a controller makes while it is being notified takes effect at once. The controllers are notified
    /// of it afterwards, so that no controller disappears before it has appeared.
    func change(_ change: HierarchyChange, _ mutate: () -> Void) {
        isContentChanged = true
        asOneChange {
            mutate()
            pending.append(change)
            settle()
        }
    }

    /// Reports that the content of a controller has changed.
    func contentDidChange() {
        isContentChanged = true
        asOneChange {}
    }

    /// Reports that views of child controllers have been added or removed.
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
        // The outer call, which is notifying the controllers, continues with the pending changes.
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

    /// Notifies the controllers that have appeared or disappeared, and places their views.
    /// - Returns: Whether any controller has been notified.
    private func updateAppearance(for changes: [HierarchyChange]) -> Bool {
        var visible = visibleViewControllers
        while let unloaded = visible.first(where: { !$0.isViewLoaded }) {
            // Loading a view may add children.
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

    /// Adds a controller's view to the window or to its parent's view, unless the parent places its children's views
    /// itself.
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
