import CoordinatorKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct NavigationControllerTests {
    private let journal = Journal()
    private let navigation = NavigationController()

    private func screen(_ name: String) -> RecordingViewController { RecordingViewController(name, journal) }

    private func names(_ controllers: [ViewController]) -> [String] { controllers.map { $0.title ?? "?" } }

    // MARK: - Appearance

    @Test func `Push and pop call both controllers' appearance methods in navigation order`() {
        let a = screen("a")
        let b = screen("b")
        navigation.pushViewController(a)
        let window = Window.visible(navigation)
        #expect(
            journal.take() == ["a will move in", "a did move in", "a loaded", "a will appear", "a did appear"])
        navigation.pushViewController(b)
        #expect(
            journal.take() == [
                "b will move in", "b loaded", "a will disappear", "b will appear", "a did disappear", "b did appear",
                "b did move in",
            ])
        #expect(a.view.superview == nil)
        #expect(b.view.superview === navigation.view)
        #expect(b.view.window === window)
        #expect(navigation.popViewController() === b)
        #expect(
            journal.take() == [
                "b will move out", "b will disappear", "a will appear", "b did disappear", "a did appear",
                "b did move out",
            ])
        #expect(b.parent == nil)
        #expect(b.view.superview == nil)
        #expect(a.view.superview === navigation.view)
    }

    @Test func `A controller that disappears because of a pop still knows its navigation controller`() {
        let b = screen("b")
        navigation.viewControllers = [screen("a"), b]
        let window = Window.visible(navigation)
        var container: NavigationController?
        var isStacked = true
        b.onWillDisappear = { [unowned b, navigation] in
            container = b.navigationController
            isStacked = navigation.viewControllers.contains { $0 === b }
        }
        navigation.popViewController()
        #expect(container === navigation)
        #expect(!isStacked)
        #expect(window.content.title == "a")
    }

    @Test func `Setting the stack notifies only controllers that are added, removed, appear or disappear`() {
        let (a, b, c, d) = (screen("a"), screen("b"), screen("c"), screen("d"))
        navigation.viewControllers = [a, b, c]
        let window = Window.visible(navigation)
        #expect(!a.isViewLoaded && !b.isViewLoaded)
        _ = journal.take()

        navigation.viewControllers = [d, a, c]
        #expect(journal.take() == ["b will move out", "d will move in", "b did move out", "d did move in"])

        navigation.setViewControllers([c, d])
        #expect(
            journal.take() == [
                "a will move out", "d loaded", "c will disappear", "d will appear", "c did disappear", "d did appear",
                "a did move out",
            ])

        navigation.viewControllers = [c, d]
        #expect(journal.take() == [])

        navigation.viewControllers = []
        #expect(
            journal.take() == [
                "c will move out", "d will move out", "d will disappear", "d did disappear", "c did move out",
                "d did move out",
            ])
        #expect(navigation.view.subviews.isEmpty)
        #expect(window.content == ScreenContent())
    }

    @Test func `No controller appears outside of a visible window`() {
        let a = screen("a")
        navigation.viewControllers = [a, screen("b")]
        navigation.popViewController()
        let window = Window()
        window.rootViewController = navigation
        navigation.pushViewController(screen("c"))
        #expect(!journal.take().contains { $0.contains("appear") || $0.contains("loaded") })
    }

    @Test func `Under a presented controller the stack changes without appearance calls`() {
        let a = screen("a")
        navigation.viewControllers = [a]
        let window = Window.visible(navigation)
        let sheet = screen("sheet")
        navigation.present(sheet)
        _ = journal.take()
        navigation.pushViewController(screen("b"))
        #expect(journal.take() == ["b will move in", "b did move in"])
        navigation.dismiss()
        #expect(
            journal.take() == [
                "b loaded", "sheet will disappear", "b will appear", "b did appear", "sheet did disappear",
            ])
        #expect(window.content.title == "b")
        #expect(a.view.superview == nil)
    }

    @Test func `A push during an appearance takes place when the appearance is complete`() {
        let a = screen("a")
        let b = screen("b")
        a.onWillAppear = { [navigation, unowned a] in
            a.onWillAppear = nil
            navigation.pushViewController(b)
        }
        navigation.viewControllers = [a]
        _ = journal.take()
        let window = Window.visible(navigation)
        #expect(
            journal.take() == [
                "a loaded", "a will appear", "b will move in", "a did appear", "b loaded", "a will disappear",
                "b will appear", "a did disappear", "b did appear", "b did move in",
            ])
        #expect(window.content.title == "b")
    }

    // MARK: - Stack

    @Test func `The last controller is never popped`() {
        #expect(navigation.popViewController() == nil)
        let a = screen("a")
        navigation.pushViewController(a)
        #expect(navigation.popViewController() == nil)
        navigation.userDidTapBack()
        #expect(navigation.topViewController === a)
    }

    @Test func `Pop goes back to a controller or to the root`() {
        let all = ["a", "b", "c", "d"].map(screen)
        navigation.viewControllers = all
        #expect(names(navigation.popToViewController(all[2])) == ["d"])
        #expect(navigation.popToViewController(all[3]).isEmpty)
        #expect(names(navigation.viewControllers) == ["a", "b", "c"])
        #expect(names(navigation.popToRootViewController()) == ["b", "c"])
        #expect(navigation.popToRootViewController().isEmpty)
        #expect(NavigationController().popToRootViewController().isEmpty)
    }

    @Test func `Replacing the top also works on an empty stack`() {
        let a = screen("a")
        let c = screen("c")
        navigation.replaceTop(with: a)
        navigation.show(screen("b"))
        navigation.replaceTop(with: c)
        #expect(names(navigation.viewControllers) == ["a", "c"])
        navigation.replaceTop(with: a)
        #expect(names(navigation.viewControllers) == ["a", "c"])
    }

    @Test func `A controller is added only once, and the navigation controller never to itself`() {
        let a = screen("a")
        let b = screen("b")
        navigation.viewControllers = [a, a, b, navigation]
        #expect(names(navigation.viewControllers) == ["a", "b"])
        _ = journal.take()
        navigation.pushViewController(a)
        navigation.pushViewController(navigation)
        #expect(names(navigation.viewControllers) == ["a", "b"])
        #expect(journal.take() == [])
    }

    @Test func `Adding a child pushes it, and removing it from its parent takes it off the stack`() {
        let a = screen("a")
        let b = screen("b")
        navigation.addChild(a)
        navigation.addChild(b)
        a.removeFromParent()
        #expect(names(navigation.viewControllers) == ["b"])
        #expect(a.parent == nil)
    }

    // MARK: - Delegate and observers

    private final class Watcher: NavigationControllerDelegate, NavigationControllerObserver {
        let journal: Journal
        var onShow: (() -> Void)?

        init(_ journal: Journal) { self.journal = journal }

        func navigationController(
            _ navigationController: NavigationController, willShow viewController: ViewController?
        ) {
            journal.write("will show \(viewController?.title ?? "nothing")")
        }

        func navigationController(
            _ navigationController: NavigationController, didShow viewController: ViewController?,
            removed: [ViewController], byUser: Bool
        ) {
            let removed = removed.map { $0.title ?? "?" }
            journal.write(
                "did show \(viewController?.title ?? "nothing") without \(removed)\(byUser ? " by user" : "")")
            onShow?()
        }
    }

    private func plain(_ title: String) -> ViewController {
        let controller = ViewController()
        controller.title = title
        return controller
    }

    @Test func `The delegate is notified of every change and whether the user made it`() {
        let watcher = Watcher(journal)
        navigation.delegate = watcher
        let a = plain("a")
        navigation.pushViewController(a)
        navigation.viewControllers = [a, plain("b"), plain("c")]
        navigation.userDidTapBack()
        navigation.popToRootViewController()
        navigation.viewControllers = [a]
        navigation.viewControllers = []
        #expect(
            journal.take() == [
                "will show a", "did show a without []",
                "will show c", "did show c without []",
                "will show b", #"did show b without ["c"] by user"#,
                "will show a", #"did show a without ["b"]"#,
                "will show nothing", #"did show nothing without ["a"]"#,
            ])
    }

    @Test func `The delegate is notified before and after the appearance calls`() {
        let watcher = Watcher(journal)
        navigation.viewControllers = [screen("a")]
        let window = Window.visible(navigation)
        navigation.delegate = watcher
        _ = journal.take()
        navigation.pushViewController(screen("b"))
        #expect(
            journal.take() == [
                "b will move in", "will show b", "b loaded", "a will disappear", "b will appear", "a did disappear",
                "b did appear", "b did move in", "did show b without []",
            ])
        #expect(window.content.title == "b")
    }

    @Test func `A delegate may change the stack again in its callback`() {
        let watcher = Watcher(journal)
        navigation.viewControllers = [plain("a"), plain("b"), plain("c")]
        let window = Window.visible(navigation)
        navigation.delegate = watcher
        watcher.onShow = { [navigation, unowned watcher] in
            watcher.onShow = nil
            navigation.popToRootViewController()
        }
        var changes = 0
        window.onContentChange = { changes += 1 }
        navigation.userDidTapBack()
        #expect(
            journal.take() == [
                "will show b", #"did show b without ["c"] by user"#, "will show a", #"did show a without ["b"]"#,
            ])
        #expect(changes == 1)
    }

    @Test func `Observers are notified once each, beside the delegate, and are not retained`() {
        let delegateJournal = Journal()
        let delegate = Watcher(delegateJournal)
        navigation.delegate = delegate
        let observer = Watcher(journal)
        navigation.addObserver(observer)
        navigation.addObserver(observer)
        weak var gone: Watcher?
        do {
            let other = Watcher(journal)
            gone = other
            navigation.addObserver(other)
        }
        #expect(gone == nil)
        navigation.pushViewController(plain("a"))
        navigation.pushViewController(plain("b"))
        navigation.userDidTapBack()
        #expect(
            journal.take() == [
                "did show a without []", "did show b without []", #"did show a without ["b"] by user"#,
            ])
        #expect(delegateJournal.take().count == 6)
        navigation.removeObserver(observer)
        navigation.pushViewController(plain("c"))
        #expect(journal.take() == [])
    }

    @Test func `A navigation controller does not retain its delegate`() {
        do {
            let watcher = Watcher(journal)
            navigation.delegate = watcher
            #expect(navigation.delegate != nil)
        }
        #expect(navigation.delegate == nil)
    }

    // MARK: - Content

    @Test func `The content is that of the top screen, with a back action when there is a screen below`() async throws {
        navigation.title = "Navigation"
        #expect(navigation.content == ScreenContent(title: "Navigation"))
        navigation.pushViewController(screen("Home"))
        #expect(navigation.content == ScreenContent(title: "Home"))
        navigation.pushViewController(screen(""))
        #expect(navigation.content == ScreenContent(actions: [.init(name: "back", label: "Home")]))
        navigation.pushViewController(screen("Detail"))
        #expect(navigation.content.actions == [.init(name: "back", label: "Back")])
        try await navigation.perform(action: "back", fields: [:])
        #expect(navigation.viewControllers.count == 2)
    }

    @Test func `A back action counts as the user's navigation`() async throws {
        let watcher = Watcher(Journal())
        navigation.viewControllers = [plain("a"), plain("b")]
        navigation.delegate = watcher
        try await navigation.perform(action: "back", fields: [:])
        #expect(watcher.journal.take().last == #"did show a without ["b"] by user"#)
    }

    @Test func `Other actions go to the top screen, as does a back action of its own`() async throws {
        let top = screen("top")
        top.shown = ScreenContent(actions: [.init(name: "back", label: "Own"), .init(name: "save")])
        navigation.viewControllers = [screen("a"), top]
        #expect(navigation.content == top.shown)
        try await navigation.perform(action: "save", fields: ["x": "1"])
        try await navigation.perform(action: "back", fields: [:])
        #expect(top.performed == ["save x=1", "back"])
        #expect(navigation.viewControllers.count == 2)
        await #expect(throws: ScreenActionError.unknownAction("y", available: ["back", "save"])) {
            try await navigation.perform(action: "y", fields: [:])
        }
    }

    @Test func `Without a screen to go back to there is no back action`() async {
        navigation.pushViewController(plain("a"))
        await #expect(throws: ScreenActionError.unknownAction("back", available: [])) {
            try await navigation.perform(action: "back", fields: [:])
        }
        await #expect(throws: ScreenActionError.unknownAction("back", available: [])) {
            try await NavigationController().perform(action: "back", fields: [:])
        }
    }

    // MARK: - Memory

    @Test func `A popped controller is freed`() {
        let window = Window.visible(navigation)
        navigation.pushViewController(plain("a"))
        weak var popped: ViewController?
        weak var view: View?
        do {
            let controller = plain("b")
            popped = controller
            navigation.pushViewController(controller)
            view = controller.view
        }
        #expect(popped != nil)
        navigation.popViewController()
        #expect(popped == nil)
        #expect(view == nil)
        #expect(window.content.title == "a")
    }
}
