import CoordinatorKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct WindowTests {
    private let journal = Journal()

    private func screen(_ name: String) -> RecordingViewController { RecordingViewController(name, journal) }

    // MARK: - Appearance

    @Test func `The root controller appears and disappears with the window`() {
        let a = screen("a")
        let outer = RecordingViewController("outer", journal)
        let window = Window()
        #expect(window.isHidden)
        window.rootViewController = a
        #expect(journal.take() == [])
        window.makeKeyAndVisible()
        window.makeKeyAndVisible()
        #expect(journal.take() == ["a loaded", "a will appear", "a did appear"])
        #expect(a.view.superview === window)
        window.rootViewController = outer
        #expect(
            journal.take() == [
                "outer loaded", "a will disappear", "a did disappear", "outer will appear", "outer did appear",
            ])
        #expect(a.view.superview == nil)
        #expect(outer.view.superview === window)
        window.isHidden = true
        #expect(journal.take() == ["outer will disappear", "outer did disappear"])
        window.rootViewController = nil
        #expect(window.subviews.isEmpty)
        #expect(journal.take() == [])
    }

    @Test func `A presented controller disappears when the root is replaced`() {
        let base = screen("base")
        let sheet = screen("sheet")
        let window = Window.visible(base)
        base.present(sheet)
        _ = journal.take()
        window.rootViewController = screen("other")
        #expect(
            journal.take() == [
                "other loaded", "sheet will disappear", "sheet did disappear", "other will appear", "other did appear",
            ])
        #expect(window.content.title == "other")
    }

    @Test func `The window's next responder is the one that the scene sets, and is not retained`() {
        let window = Window()
        do {
            let scene = Responder()
            window.nextResponder = scene
            #expect(window.next === scene)
            #expect(window.coordinatingResponder === scene)
        }
        #expect(window.next == nil)
    }

    // MARK: - Content

    /// A window with tabs, and a navigation controller in the first tab.
    private struct Nest {
        let home: RecordingViewController
        let detail: RecordingViewController
        let settings: RecordingViewController
        let navigation: NavigationController
        let tabs: TabBarController
        let window: Window

        @MainActor
        init(_ journal: Journal) {
            home = RecordingViewController("Home", journal)
            detail = RecordingViewController("Detail", journal)
            detail.shown = ScreenContent(
                title: "Detail", items: [.init(id: "1", title: "One", action: "open")],
                actions: [.init(name: "save"), .init(name: "erase", isEnabled: false)])
            settings = RecordingViewController("Settings", journal)
            navigation = NavigationController(rootViewController: home)
            tabs = TabBarController(viewControllers: [navigation, settings])
            window = .visible(tabs)
        }
    }

    @Test func `The window shows the visible screen of nested containers and performs its actions`() async throws {
        let nest = Nest(journal)
        nest.navigation.pushViewController(nest.detail)
        #expect(nest.window.content.title == "Detail")
        #expect(nest.window.content.actions.map(\.name) == ["save", "erase", "back", "tab:0", "tab:1"])
        try await nest.window.perform(action: "save", fields: ["a": "1", "b": "2"])
        try await nest.window.perform(action: "open")
        #expect(nest.detail.performed == ["save a=1 b=2", "open"])
        try await nest.window.perform(action: "back")
        #expect(nest.window.content.title == "Home")
        #expect(nest.window.content.actions.map(\.name) == ["tab:0", "tab:1"])
        try await nest.window.perform(action: "tab:1")
        #expect(nest.window.content.title == "Settings")
    }

    @Test func `A presented controller covers everything and can be dismissed`() async throws {
        let nest = Nest(journal)
        let sheet = screen("Sheet")
        sheet.shown = ScreenContent(title: "Sheet", actions: [.init(name: "ok")])
        nest.home.present(NavigationController(rootViewController: sheet))
        #expect(
            nest.window.content
                == ScreenContent(
                    title: "Sheet", actions: [.init(name: "ok"), .init(name: "dismiss", label: "Close")]))
        try await nest.window.perform(action: "ok")
        #expect(sheet.performed == ["ok"])
        await #expect(throws: ScreenActionError.unknownAction("tab:1", available: ["ok", "dismiss"])) {
            try await nest.window.perform(action: "tab:1")
        }
        try await nest.window.perform(action: "dismiss")
        #expect(nest.tabs.presentedViewController == nil)
        #expect(nest.window.content.title == "Home")
    }

    @Test func `A presented controller's own dismiss action replaces the default one`() async throws {
        let base = screen("base")
        let sheet = screen("sheet")
        sheet.shown = ScreenContent(actions: [.init(name: "dismiss", label: "Ask first")])
        let window = Window.visible(base)
        base.present(sheet)
        #expect(window.content == sheet.shown)
        try await window.perform(action: "dismiss")
        #expect(sheet.performed == ["dismiss"])
        #expect(base.presentedViewController === sheet)
    }

    @Test func `An unknown or disabled action is refused, and the error lists the available ones`() async {
        let nest = Nest(journal)
        nest.navigation.pushViewController(nest.detail)
        let available = ["save", "back", "tab:0", "tab:1", "open"]
        await #expect(throws: ScreenActionError.unknownAction("fly", available: available)) {
            try await nest.window.perform(action: "fly")
        }
        await #expect(throws: ScreenActionError.disabledAction("erase", available: available)) {
            try await nest.window.perform(action: "erase")
        }
        #expect(nest.detail.performed == [])
    }

    @Test func `The refusal of an action says the reason that its screen states`() async {
        final class Till: ViewController {
            override var screen: Screen? {
                Screen("Till") {
                    Action("Pay", name: "pay", unavailable: "the basket is empty") {}
                    Action("Print", name: "print") {}
                }
            }
        }
        let window = Window.visible(Till())
        let error = ScreenActionError.disabledAction("pay", reason: "the basket is empty", available: ["print"])
        #expect(error.description == "the action 'pay' is not available: the basket is empty; there is: print")
        await #expect(throws: error) { try await window.perform(action: "pay") }
    }

    @Test func `A hidden or empty window shows nothing`() async {
        let nest = Nest(journal)
        nest.window.isHidden = true
        #expect(nest.window.content == ScreenContent())
        await #expect(throws: ScreenActionError.unknownAction("tab:1", available: [])) {
            try await nest.window.perform(action: "tab:1")
        }
        #expect(Window().content == ScreenContent())
    }

    // MARK: - Changes

    @Test func `Each change is reported once, when it is complete`() {
        let nest = Nest(journal)
        var seen: [String] = []
        nest.window.onContentChange = { [unowned window = nest.window] in seen.append(window.content.title) }
        func changes(_ body: () -> Void) -> [String] {
            seen = []
            body()
            return seen
        }
        #expect(changes { nest.navigation.pushViewController(nest.detail) } == ["Detail"])
        #expect(changes { nest.navigation.pushViewController(nest.detail) } == [])
        #expect(changes { nest.navigation.popViewController() } == ["Home"])
        #expect(changes { nest.navigation.popViewController() } == [])
        #expect(changes { nest.navigation.replaceTop(with: nest.detail) } == ["Detail"])
        #expect(changes { nest.navigation.viewControllers = [nest.home, nest.detail] } == ["Detail"])
        #expect(changes { nest.navigation.userDidTapBack() } == ["Home"])
        #expect(changes { nest.tabs.selectedIndex = 1 } == ["Settings"])
        #expect(changes { nest.tabs.userDidSelectTab(at: 1) } == [])
        #expect(changes { nest.settings.present(nest.detail) } == ["Detail"])
        #expect(changes { nest.settings.setNeedsContentUpdate() } == ["Detail"])
        #expect(changes { nest.detail.dismiss() } == ["Settings"])
        #expect(changes { nest.detail.setNeedsContentUpdate() } == [])
        #expect(changes { nest.settings.title = "Options" } == ["Options"])
        #expect(changes { nest.settings.title = "Options" } == [])
        #expect(changes { nest.window.isHidden = true } == [""])
        #expect(changes { nest.window.isHidden = false } == ["Options"])
        #expect(changes { nest.window.rootViewController = nest.home } == ["Home"])
        #expect(changes { nest.window.rootViewController = nest.home } == [])
        #expect(changes { nest.tabs.selectedIndex = 0 } == [])
    }

    @Test func `A change and the further changes that it causes are reported as one`() {
        let nest = Nest(journal)
        var changes = 0
        nest.window.onContentChange = { changes += 1 }
        nest.detail.onWillAppear = { [unowned detail = nest.detail] in detail.setNeedsContentUpdate() }
        nest.detail.onAppear = { [unowned nest = nest.navigation, journal] in
            nest.present(RecordingViewController("sheet", journal))
        }
        nest.navigation.pushViewController(nest.detail)
        #expect(nest.window.content.title == "sheet")
        #expect(changes == 1)
    }

    @Test func `A change caused by an appearing child is reported`() {
        let parent = screen("parent")
        let child = screen("child")
        let window = Window.visible(parent)
        var changes = 0
        window.onContentChange = { changes += 1 }
        child.onAppear = { [unowned child] in child.setNeedsContentUpdate() }
        parent.addChild(child)
        #expect(changes == 0)
        parent.view.addSubview(child.view)
        #expect(changes == 1)
    }

    // MARK: - Memory

    @Test func `A window is freed with all its controllers`() {
        weak var window: Window?
        weak var root: ViewController?
        weak var top: ViewController?
        weak var sheet: ViewController?
        do {
            let nest = Nest(journal)
            let presented = screen("sheet")
            window = nest.window
            root = nest.tabs
            top = nest.detail
            sheet = presented
            nest.navigation.pushViewController(nest.detail)
            nest.navigation.userDidTapBack()
            nest.navigation.pushViewController(nest.detail)
            nest.tabs.selectedIndex = 1
            nest.tabs.selectedIndex = 0
            nest.tabs.present(presented)
            #expect(window != nil && root != nil && top != nil && sheet != nil)
        }
        #expect(window == nil)
        #expect(root == nil)
        #expect(top == nil)
        #expect(sheet == nil)
    }

    @Test func `A replaced root is freed with the controller that it presents`() {
        let window = Window()
        window.makeKeyAndVisible()
        weak var root: ViewController?
        weak var sheet: ViewController?
        do {
            let controller = screen("root")
            let presented = screen("sheet")
            root = controller
            sheet = presented
            window.rootViewController = controller
            controller.present(presented)
        }
        #expect(root != nil && sheet != nil)
        window.rootViewController = nil
        #expect(root == nil)
        #expect(sheet == nil)
        #expect(window.subviews.isEmpty)
    }

    @Test func `A controller does not keep its window alive`() {
        let controller = screen("kept")
        do {
            let window = Window.visible(controller)
            #expect(controller.coordinatingResponder === window)
        }
        #expect(controller.coordinatingResponder == nil)
        #expect(controller.next == nil)
    }
}
