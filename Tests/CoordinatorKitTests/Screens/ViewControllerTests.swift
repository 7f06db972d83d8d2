import CoordinatorKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ViewControllerChainTests {
    @Test func `The chain leads to the coordinator before anything else`() {
        let controller = ViewController()
        let coordinator = ResponderCoordinator()
        let navigation = NavigationController(rootViewController: controller)
        let window = Window.visible(navigation)
        controller.parentCoordinator = coordinator
        #expect(controller.coordinatingResponder === coordinator)
        #expect(controller.containingCoordinator === coordinator)
        #expect(controller.next === navigation.view)
        controller.parentCoordinator = nil
        #expect(controller.coordinatingResponder === navigation)
        #expect(window.rootViewController === navigation)
    }

    @Test func `The chain leads to the parent before the presenting controller`() {
        let presenter = ViewController()
        let child = ViewController()
        let navigation = NavigationController(rootViewController: child)
        presenter.present(navigation)
        #expect(child.coordinatingResponder === navigation)
        #expect(child.presentingViewController === presenter)
    }

    @Test func `The chain leads to the presenting controller before the superview`() {
        let presenter = ViewController()
        let window = Window.visible(presenter)
        let presented = ViewController()
        presenter.present(presented)
        #expect(presented.view.superview === window)
        #expect(presented.coordinatingResponder === presenter)
        #expect(presented.next === presenter)
    }

    @Test func `The chain leads to the superview last`() {
        let controller = ViewController()
        let host = View()
        #expect(controller.coordinatingResponder == nil)
        host.addSubview(controller.view)
        #expect(controller.coordinatingResponder === host)
        #expect(controller.next === host)
    }

    @Test func `Asking for the next responder does not load the view`() {
        let controller = ViewController()
        let window = Window()
        window.rootViewController = controller
        #expect(controller.coordinatingResponder === window)
        #expect(controller.next === window)
        #expect(!controller.isViewLoaded)
        #expect(controller.viewIfLoaded == nil)
    }

    @Test func `The containing coordinator may be that of a parent controller`() {
        let coordinator = ResponderCoordinator()
        let child = ViewController()
        let navigation = NavigationController(rootViewController: child)
        navigation.parentCoordinator = coordinator
        let button = View()
        child.view.addSubview(button)
        #expect(button.containingCoordinator === coordinator)
        #expect(child.containingCoordinator === coordinator)
        #expect(ViewController().containingCoordinator == nil)
    }

    @Test func `A coordinator that is not a responder contains its screens, but messages skip it`() {
        let controller = ViewController()
        let navigation = NavigationController(rootViewController: controller)
        let coordinator = ForeignCoordinator()
        controller.parentCoordinator = coordinator
        #expect(controller.coordinatingResponder === navigation)
        #expect(controller.containingCoordinator === coordinator)
    }

    @Test func `A view controller does not retain its coordinator`() {
        let controller = ViewController()
        do {
            let coordinator = ResponderCoordinator()
            controller.parentCoordinator = coordinator
            #expect(controller.coordinatingResponder === coordinator)
        }
        #expect(controller.parentCoordinator == nil)
        #expect(controller.coordinatingResponder == nil)
    }

    @Test func `The chain leads from a button through containers and window to the scene`() {
        let button = View()
        let child = ViewController()
        child.view.addSubview(button)
        let navigation = NavigationController(rootViewController: child)
        let tabs = TabBarController(viewControllers: [navigation])
        let window = Window.visible(tabs)
        let scene = Responder()
        window.nextResponder = scene
        let expected: [Responder] = [button, child.view, child, navigation, tabs, window, scene]
        var walked: [Responder] = []
        var current: Responder? = button
        while let responder = current {
            walked.append(responder)
            current = responder.coordinatingResponder
        }
        #expect(walked.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init))
    }
}

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ViewControllerTests {
    private let journal = Journal()

    @Test func `The view is loaded once, when it is first accessed`() {
        let controller = RecordingViewController("a", journal)
        #expect(!controller.isViewLoaded)
        let view = controller.view
        controller.loadViewIfNeeded()
        #expect(controller.view === view)
        #expect(journal.take() == ["a loaded"])
    }

    private final class OwnViewController: ViewController {
        final class OwnView: View {}
        override func loadView() { view = OwnView() }
    }

    private final class ForgetfulViewController: ViewController {
        override func loadView() {}
    }

    @Test func `The view is the one that loadView sets, or a plain one`() {
        let own = OwnViewController()
        #expect(own.view is OwnViewController.OwnView)
        #expect(own.view.viewController === own)
        let forgetful = ForgetfulViewController()
        #expect(forgetful.view.viewController === forgetful)
    }

    @Test func `By default the content is the title, and every action is refused`() async {
        let controller = ViewController()
        #expect(controller.content == ScreenContent())
        controller.title = "Home"
        #expect(controller.content == ScreenContent(title: "Home"))
        await #expect(throws: ScreenActionError.unknownAction("x", available: [])) {
            try await controller.perform(action: "x", fields: [:])
        }
    }

    // MARK: - Presentation

    @Test func `Present and dismiss call both controllers' appearance methods in modal order`() {
        let base = RecordingViewController("base", journal)
        let sheet = RecordingViewController("sheet", journal)
        let window = Window.visible(base)
        #expect(journal.take() == ["base loaded", "base will appear", "base did appear"])
        base.present(sheet) { [journal] in journal.write("presented") }
        #expect(
            journal.take() == [
                "sheet loaded", "base will disappear", "sheet will appear", "sheet did appear", "base did disappear",
                "presented",
            ])
        #expect(base.presentedViewController === sheet)
        #expect(sheet.view.window === window)
        base.dismiss { [journal] in journal.write("dismissed") }
        #expect(
            journal.take() == [
                "sheet will disappear", "base will appear", "base did appear", "sheet did disappear", "dismissed",
            ])
        #expect(base.presentedViewController == nil)
        #expect(sheet.presentingViewController == nil)
        #expect(sheet.view.superview == nil)
    }

    @Test func `A presented controller can dismiss itself, and knows its presenter while it disappears`() {
        let base = RecordingViewController("base", journal)
        let sheet = RecordingViewController("sheet", journal)
        let window = Window.visible(base)
        var presenter: ViewController?
        sheet.onWillDisappear = { [weak sheet] in presenter = sheet?.presentingViewController }
        base.present(sheet)
        sheet.dismiss()
        #expect(presenter === base)
        #expect(base.presentedViewController == nil)
        #expect(window.content.title == "base")
    }

    @Test func `The outermost container presents for all controllers inside it`() {
        let child = ViewController()
        let navigation = NavigationController(rootViewController: child)
        let tabs = TabBarController(viewControllers: [navigation])
        let sheet = ViewController()
        #expect(child.present(sheet))
        #expect(sheet.presentingViewController === tabs)
        #expect(child.presentedViewController === sheet)
        #expect(navigation.visibleViewController === sheet)
        child.dismiss()
        #expect(tabs.presentedViewController == nil)
    }

    @Test func `Dismissing removes all controllers presented above`() {
        let base = RecordingViewController("base", journal)
        let first = RecordingViewController("first", journal)
        let second = RecordingViewController("second", journal)
        let window = Window.visible(base)
        base.present(first)
        first.present(second)
        #expect(window.content.title == "second")
        _ = journal.take()
        base.dismiss()
        #expect(
            journal.take() == [
                "second will disappear", "base will appear", "base did appear", "second did disappear",
            ])
        #expect(first.presentedViewController == nil)
        #expect(second.presentingViewController == nil)
        #expect(window.subviews.count == 1)
    }

    @Test func `Dismissing in the middle keeps the controllers below`() {
        let base = ViewController()
        let first = ViewController()
        let second = ViewController()
        base.present(first)
        first.present(second)
        first.dismiss()
        #expect(first.presentedViewController == nil)
        #expect(base.presentedViewController === first)
        second.dismiss()
        #expect(base.presentedViewController === first)
    }

    @Test func `A second presentation and a presentation of itself are refused`() {
        let base = ViewController()
        let navigation = NavigationController(rootViewController: base)
        let sheet = ViewController()
        var completions = 0
        #expect(!base.present(base) { completions += 1 })
        #expect(!base.present(navigation) { completions += 1 })
        #expect(base.present(sheet) { completions += 1 })
        #expect(completions == 1)
        #expect(!base.present(ViewController()) { completions += 1 })
        #expect(!sheet.present(navigation) { completions += 1 })
        #expect(completions == 1)
        #expect(base.presentedViewController === sheet)
    }

    @Test func `Dismissing without a presented controller completes at once`() {
        var completed = false
        ViewController().dismiss { completed = true }
        #expect(completed)
    }

    @Test func `A dismissed controller is freed together with the controllers that it presents`() {
        let base = ViewController()
        let window = Window.visible(base)
        weak var sheet: ViewController?
        weak var above: ViewController?
        do {
            let presented = ViewController()
            sheet = presented
            let second = ViewController()
            above = second
            base.present(presented)
            presented.present(second)
        }
        #expect(sheet != nil && above != nil)
        base.dismiss()
        #expect(sheet == nil)
        #expect(above == nil)
        #expect(window.subviews.count == 1)
    }

    // MARK: - Children

    @Test func `A child appears and disappears with its view`() {
        let parent = RecordingViewController("parent", journal)
        let child = RecordingViewController("child", journal)
        let window = Window.visible(parent)
        _ = journal.take()
        parent.addChild(child)
        parent.view.addSubview(child.view)
        child.didMove(toParent: parent)
        #expect(
            journal.take() == [
                "child will move in", "child loaded", "child will appear", "child did appear", "child did move in",
            ])
        window.isHidden = true
        #expect(
            journal.take() == [
                "parent will disappear", "child will disappear", "parent did disappear", "child did disappear",
            ])
        window.isHidden = false
        _ = journal.take()
        child.view.removeFromSuperview()
        #expect(journal.take() == ["child will disappear", "child did disappear"])
        child.removeFromParent()
        #expect(journal.take() == ["child did move out"])
        #expect(parent.children.isEmpty)
        #expect(child.parent == nil)
    }

    @Test func `A child that is added in viewDidLoad appears once`() {
        let parent = RecordingViewController("parent", journal)
        let child = RecordingViewController("child", journal)
        parent.onLoad = { [unowned parent] in
            parent.addChild(child)
            parent.view.addSubview(child.view)
        }
        let window = Window.visible(parent)
        #expect(
            journal.take() == [
                "parent loaded", "child will move in", "child loaded", "parent will appear", "child will appear",
                "parent did appear", "child did appear",
            ])
        #expect(child.view.window === window)
    }

    @Test func `A controller is refused as a child of itself or of its descendant`() {
        let outer = ViewController()
        let inner = ViewController()
        outer.addChild(inner)
        inner.addChild(outer)
        outer.addChild(outer)
        outer.addChild(inner)
        #expect(inner.children.isEmpty)
        #expect(outer.parent == nil)
        #expect(outer.children.count == 1)
    }

    @Test func `A controller is in only one place at a time`() {
        let controller = ViewController()
        let first = NavigationController(rootViewController: controller)
        let second = NavigationController(rootViewController: controller)
        #expect(first.viewControllers.isEmpty)
        #expect(controller.navigationController === second)

        let presenter = ViewController()
        presenter.present(controller)
        #expect(second.viewControllers.isEmpty)
        #expect(controller.parent == nil)

        let window = Window.visible(controller)
        #expect(presenter.presentedViewController == nil)
        #expect(controller.presentingViewController == nil)

        let plain = ViewController()
        plain.addChild(controller)
        #expect(window.rootViewController == nil)
        first.pushViewController(controller)
        #expect(plain.children.isEmpty)
        #expect(controller.parent === first)
    }

    @Test func `The root of a window can be wrapped in a container`() {
        let root = RecordingViewController("root", journal)
        let window = Window.visible(root)
        window.rootViewController = NavigationController(rootViewController: root)
        #expect(root.view.window === window)
        #expect(window.subviews.count == 1)
        #expect(
            journal.take() == [
                "root loaded", "root will appear", "root did appear", "root will disappear", "root did disappear",
                "root will move in", "root did move in", "root will appear", "root did appear",
            ])
    }

    @Test func `Putting a controller in a container dismisses the controller that it presents`() {
        let controller = ViewController()
        let sheet = ViewController()
        let window = Window.visible(controller)
        controller.present(sheet)
        window.rootViewController = NavigationController(rootViewController: controller)
        #expect(controller.presentedViewController == nil)
        #expect(sheet.presentingViewController == nil)
        #expect(sheet.view.superview == nil)
        #expect(controller.view.window === window)
    }

    @Test func `A controller knows its nearest navigation and tab bar controllers`() {
        let controller = ViewController()
        #expect(controller.navigationController == nil)
        let navigation = NavigationController(rootViewController: controller)
        let tabs = TabBarController(viewControllers: [navigation])
        #expect(controller.navigationController === navigation)
        #expect(controller.tabBarController === tabs)
        #expect(navigation.navigationController == nil)
        #expect(navigation.tabBarController === tabs)
    }

    @Test func `A child does not retain its parent`() {
        let child = ViewController()
        do {
            let parent = ViewController()
            parent.addChild(child)
            #expect(child.parent === parent)
        }
        #expect(child.parent == nil)
    }
}
