import CoordinatorKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct TabBarControllerTests {
    private let journal = Journal()
    private let tabs = TabBarController()

    private func screen(_ name: String) -> RecordingViewController { RecordingViewController(name, journal) }

    private final class Watcher: TabBarControllerDelegate {
        var selections: [String] = []

        func tabBarController(
            _ tabBarController: TabBarController, didSelect viewController: ViewController, byUser: Bool
        ) {
            selections.append("\(viewController.title ?? "?")\(byUser ? " by user" : "")")
        }
    }

    private final class UIKitWatcher: TabBarControllerDelegate {
        var selections: [String] = []

        func tabBarController(_ tabBarController: TabBarController, didSelect viewController: ViewController) {
            selections.append(viewController.title ?? "?")
        }
    }

    @Test func `A delegate as in UIKit is told of the user's selections only`() {
        let watcher = UIKitWatcher()
        tabs.delegate = watcher
        tabs.viewControllers = [screen("a"), screen("b")]
        tabs.selectedIndex = 1
        #expect(watcher.selections == [])
        tabs.userDidSelectTab(at: 0)
        tabs.userDidSelectTab(at: 0)
        #expect(watcher.selections == ["a", "a"])
    }

    @Test func `The restoration state names the selected tab, also when tabs are inserted before it`() {
        let (a, b, c) = (screen("a"), screen("b"), screen("c"))
        tabs.viewControllers = [a, b]
        #expect(tabs.restorationState == [:])
        tabs.selectedIndex = 1
        #expect(tabs.restorationState == ["selectedTab": "1"])
        tabs.viewControllers = [c, a, b]
        #expect(tabs.restorationState == ["selectedTab": "2"])
        tabs.restorationState["draft"] = "text"
        #expect(tabs.selectedViewController === b)
    }

    @Test func `A tab that is restored before the tabs are set is selected when they are`() {
        tabs.restorationState = ["selectedTab": "1"]
        tabs.viewControllers = [screen("a"), screen("b")]
        #expect(tabs.selectedIndex == 1)
        #expect(tabs.restorationState == ["selectedTab": "1"])
    }

    @Test func `A selection calls both controllers' appearance methods in tab order`() {
        let a = screen("a")
        let b = screen("b")
        tabs.viewControllers = [a, b]
        let window = Window.visible(tabs)
        #expect(!b.isViewLoaded)
        _ = journal.take()
        tabs.selectedIndex = 1
        #expect(
            journal.take() == [
                "b loaded", "b will appear", "a will disappear", "a did disappear", "b did appear",
            ])
        #expect(a.view.superview == nil)
        #expect(b.view.window === window)
        tabs.selectedIndex = 1
        tabs.selectedIndex = 2
        tabs.selectedIndex = -1
        tabs.selectedViewController = screen("c")
        #expect(journal.take() == [])
        tabs.selectedViewController = a
        #expect(tabs.selectedIndex == 0)
        #expect(
            journal.take() == ["a will appear", "b will disappear", "b did disappear", "a did appear"])
    }

    @Test func `The selected controller stays selected while it is in the tabs`() {
        let (a, b, c) = (screen("a"), screen("b"), screen("c"))
        tabs.viewControllers = [a, b]
        tabs.selectedIndex = 1
        tabs.viewControllers = [c, a, b]
        #expect(tabs.selectedViewController === b)
        #expect(tabs.selectedIndex == 2)
        tabs.viewControllers = [c, a]
        #expect(tabs.selectedViewController === a)
        tabs.viewControllers = []
        #expect(tabs.selectedViewController == nil)
        #expect(tabs.selectedIndex == 0)
    }

    @Test func `Setting the controllers notifies those that are added, removed, appear or disappear`() {
        let (a, b, c) = (screen("a"), screen("b"), screen("c"))
        tabs.viewControllers = [a, b]
        let window = Window.visible(tabs)
        _ = journal.take()
        tabs.viewControllers = [b, c]
        #expect(
            journal.take() == [
                "a will move out", "c will move in", "b loaded", "a will disappear", "b will appear",
                "a did disappear", "b did appear", "a did move out", "c did move in",
            ])
        #expect(a.parent == nil)
        #expect(window.content.title == "b")
    }

    @Test func `A child that is removed from its parent leaves the tabs`() {
        let a = screen("a")
        let b = screen("b")
        tabs.addChild(a)
        tabs.addChild(b)
        tabs.selectedViewController = b
        b.removeFromParent()
        #expect(tabs.viewControllers.count == 1)
        #expect(tabs.selectedViewController === a)
    }

    @Test func `The delegate is notified of a selection and whether the user made it`() {
        let watcher = Watcher()
        tabs.viewControllers = [screen("a"), screen("b")]
        tabs.delegate = watcher
        tabs.selectedIndex = 1
        tabs.selectedIndex = 1
        tabs.userDidSelectTab(at: 0)
        tabs.userDidSelectTab(at: 0)
        tabs.userDidSelectTab(at: 7)
        tabs.viewControllers = [tabs.viewControllers[1]]
        #expect(watcher.selections == ["b", "a by user", "a by user", "b"])
    }

    @Test func `A tab bar controller does not retain its delegate`() {
        do {
            let watcher = Watcher()
            tabs.delegate = watcher
            #expect(tabs.delegate != nil)
        }
        #expect(tabs.delegate == nil)
    }

    @Test func `The content is that of the selected controller, with an action for each tab`() async throws {
        let nameless = ViewController()
        let home = screen("Home")
        home.shown = ScreenContent(title: "Home", actions: [.init(name: "save"), .init(name: "tab:1", label: "Own")])
        tabs.viewControllers = [home, nameless, NavigationController(rootViewController: screen("Settings"))]
        #expect(
            tabs.content
                == ScreenContent(
                    title: "Home",
                    actions: [
                        .init(name: "save"), .init(name: "tab:1", label: "Own"), .init(name: "tab:0", label: "Home"),
                        .init(name: "tab:2", label: "Settings"),
                    ]))
        try await tabs.perform(action: "tab:1", fields: [:])
        try await tabs.perform(action: "save", fields: [:])
        #expect(home.performed == ["tab:1", "save"])
        #expect(tabs.selectedIndex == 0)
        try await tabs.perform(action: "tab:2", fields: [:])
        #expect(tabs.selectedIndex == 2)
        #expect(tabs.content.actions.map(\.label) == ["Home", "Tab 2", "Settings"])
        await #expect(throws: ScreenActionError.self) { try await tabs.perform(action: "tab:3", fields: [:]) }
    }

    @Test func `Without tabs the content is the title`() async {
        tabs.title = "Empty"
        #expect(tabs.content == ScreenContent(title: "Empty"))
        await #expect(throws: ScreenActionError.unknownAction("tab:0", available: [])) {
            try await tabs.perform(action: "tab:0", fields: [:])
        }
    }
}
