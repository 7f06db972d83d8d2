import Messaging
import SceneContent

/// The delegate of a tab bar controller, which is notified of selected tabs.
@MainActor
public protocol TabBarControllerDelegate: AnyObject {
    /// Called when another tab is selected and shown, or when the user has selected the same tab again.
    /// - Parameter byUser: Whether the user, rather than the program, has selected the tab.
    func tabBarController(
        _ tabBarController: TabBarController, didSelect viewController: ViewController, byUser: Bool)
    /// Called when the user has selected a tab, unless
    /// ``tabBarController(_:didSelect:byUser:)`` is implemented.
    func tabBarController(_ tabBarController: TabBarController, didSelect viewController: ViewController)
}

extension TabBarControllerDelegate {
    /// Calls ``tabBarController(_:didSelect:)`` if the user has selected the tab.
    public func tabBarController(
        _ tabBarController: TabBarController, didSelect viewController: ViewController, byUser: Bool
    ) {
        if byUser { self.tabBarController(tabBarController, didSelect: viewController) }
    }

    /// Does nothing.
    public func tabBarController(_ tabBarController: TabBarController, didSelect viewController: ViewController) {}
}

/// A container that shows one of several controllers. The user selects which one.
@MainActor
open class TabBarController: ViewController {
    /// The delegate, which is notified of selections.
    public weak var delegate: (any TabBarControllerDelegate)?

    private var selection = 0

    public override init() {
        super.init()
        declarePassing(by: TabBarController.self)
    }

    /// Makes a tab bar controller.
    /// - Parameter viewControllers: The controllers to select from. The first one is selected.
    public convenience init(viewControllers: [ViewController]) {
        self.init()
        self.viewControllers = viewControllers
    }

    /// The controllers to select from. When they are set, the selected controller stays selected if it is still among
    /// them. Otherwise the controller at its index, or the last one, is selected.
    public var viewControllers: [ViewController] {
        get { children }
        set { setViewControllers(newValue) }
    }

    /// The index of the selected controller; 0 if there is none. Setting an index that is out of range does nothing.
    public var selectedIndex: Int {
        get { selection }
        set { select(newValue, byUser: false) }
    }

    /// The controller that is shown. Setting a controller that is not among ``viewControllers`` does nothing.
    public var selectedViewController: ViewController? {
        get { children.indices.contains(selection) ? children[selection] : nil }
        set {
            guard let index = children.firstIndex(where: { $0 === newValue }) else { return }
            select(index, byUser: false)
        }
    }

    /// The data from which the screen is restored in a later scene. The selected tab is part of it, as `selectedTab`,
    /// once a tab has been selected. If the tab does not exist yet, it is selected when the tabs are set.
    open override var restorationState: [String: String] {
        didSet {
            let wanted = restorationState[Self.selectionKey]
            guard wanted != oldValue[Self.selectionKey], let index = wanted.flatMap(Int.init) else { return }
            selectedIndex = index
        }
    }

    /// The tab that the restoration state names and that does not exist yet.
    private var awaitedIndex: Int? {
        restorationState[Self.selectionKey].flatMap(Int.init).flatMap { $0 >= children.count ? $0 : nil }
    }

    private static let selectionKey = "selectedTab"

    /// Selects a tab for the user. Does nothing if the index is out of range.
    public func userDidSelectTab(at index: Int) {
        select(index, byUser: true)
    }

    private func select(_ index: Int, byUser: Bool) {
        guard children.indices.contains(index) else { return }
        guard index != selection else {
            if byUser { delegate?.tabBarController(self, didSelect: children[index], byUser: true) }
            return
        }
        let selected = children[index]
        let whole = HierarchyChange(
            order: .tab,
            rearrange: { self.removeViews(of: self.children) },
            completion: { self.delegate?.tabBarController(self, didSelect: selected, byUser: byUser) })
        change(whole) {
            selection = index
            restorationState[Self.selectionKey] = "\(index)"
        }
    }

    private func setViewControllers(_ viewControllers: [ViewController]) {
        let before = selectedViewController
        let awaited = awaitedIndex
        replaceChildren(with: viewControllers) {
            let kept = children.firstIndex { $0 === before }
            selection = kept ?? max(0, min(selection, children.count - 1))
            if let awaited, children.indices.contains(awaited) { selection = awaited }
            if restorationState[Self.selectionKey] != nil, awaitedIndex == nil {
                restorationState[Self.selectionKey] = "\(selection)"
            }
        } completion: { [weak self] _ in
            guard let self, let selected = selectedViewController, selected !== before else { return }
            delegate?.tabBarController(self, didSelect: selected, byUser: false)
        }
    }

    /// Adds a tab after the others.
    open override func addChild(_ child: ViewController) {
        viewControllers = children + [child]
    }

    override func removeChild(_ child: ViewController) {
        viewControllers = children.filter { $0 !== child }
    }

    // MARK: - Content

    private static let tabPrefix = "tab:"

    /// Whether the user cannot select a tab, because the selected one shows a controller that hides them.
    private var isBarHidden: Bool {
        (selectedViewController as? NavigationController)?.viewControllers.dropFirst()
            .contains(where: \.hidesBottomBarWhenPushed) ?? false
    }

    /// The screen of the selected controller, with the actions `tab:0`, `tab:1`, and so on, unless it hides them. If
    /// the selected controller has an action of such a name itself, that action is kept.
    override var ownScreen: Screen? {
        var shown = selectedViewController?.shownScreen ?? Screen(title ?? "")
        if !isBarHidden {
            let inner = shown
            // Those of a tab bar in the selected tab come first.
            shown.tabs += children.enumerated().compactMap { index, child in
                let name = "\(Self.tabPrefix)\(index)"
                if inner.lists(action: name) { return nil }
                return ContentTab(
                    action: name, label: child.tabTitle ?? "Tab \(index + 1)", isSelected: index == selection)
            }
        }
        if let screen { shown.append(screen) }
        return shown
    }

    /// Selects a tab, or has the selected controller perform the action.
    open override func perform(action: String, fields: [String: String]) async throws {
        guard let selected = selectedViewController, screen?.handles(action) != true else {
            return try await super.perform(action: action, fields: fields)
        }
        if let index = children.indices.first(where: { action == "\(Self.tabPrefix)\($0)" }),
            !isBarHidden, !selected.shownScreen.lists(action: action)
        {
            userDidSelectTab(at: index)
        } else {
            try await selected.perform(action: action, fields: fields)
        }
    }

    override var visibleChildren: [ViewController] { selectedViewController.map { [$0] } ?? [] }
    override var placesChildViews: Bool { true }
}

extension ViewController {
    /// The nearest tab bar controller that contains this controller.
    public var tabBarController: TabBarController? { nearestAncestor(TabBarController.self) }
}
