import CoordinatorKit
import Testing

/// The pages of a scene's screens, which the library notes, and from which a later scene is restored.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct PagesTests {
    private let application = Application(
        configurations: [
            SceneConfiguration(name: "Gallery", delegateClass: WindowSceneDelegate<GalleryCoordinator>.self)
        ])

    private func gallery(restoring state: UserActivity? = nil) throws -> GalleryCoordinator {
        let session = try application.requestSceneSessionActivation(
            options: ConnectionOptions(links: state.map { [.activity($0)] } ?? []))
        return try #require(session.sceneCoordinator as? GalleryCoordinator)
    }

    /// A scene that has been restored from the state of another one.
    private func restored(_ gallery: GalleryCoordinator) throws -> GalleryCoordinator {
        let session = try #require(gallery.scene?.session)
        if let scene = session.scene { application.disconnect(scene) }
        try application.requestSceneSessionActivation(session)
        return try #require(session.sceneCoordinator as? GalleryCoordinator)
    }

    @Test("A screen has the page with which it was shown, without its coordinator setting it")
    func noted() throws {
        let gallery = try gallery()
        gallery.display(page: .picture(4))
        #expect(gallery.pages == ["wall", "picture(4)"])
        #expect(gallery.state.screens.map(\.page) == [.wall, .picture(4)])
    }

    @Test("A screen that belongs to no page is not restored")
    func unnamed() throws {
        let gallery = try gallery()
        let picker = ViewController()
        picker.title = "picker"
        gallery.show(picker)
        #expect(gallery.state.screens.map(\.page) == [.wall])
        #expect(try restored(gallery).titles == ["wall"])
    }

    @Test("The pages of a child coordinator are restored below the scene's page, also those it showed later")
    func nested() throws {
        let gallery = try gallery()
        gallery.display(page: .archive)
        let archive = try #require(gallery.child(matching: ArchiveCoordinator.self))
        archive.display(page: .year(1890))
        archive.display(page: .painter(year: 1890, name: "van Gogh"))
        gallery.rootViewController.topViewController?.restorationState = ["zoom": "2"]
        #expect(gallery.titles == ["wall", "years", "year(1890)", "van Gogh"])

        let state = gallery.state
        let again = try restored(gallery)
        #expect(again.titles == ["wall", "years", "year(1890)", "van Gogh"])
        #expect(again.rootViewController.topViewController?.restorationState == ["zoom": "2"])
        #expect(again.child(matching: ArchiveCoordinator.self)?.page == .painter(year: 1890, name: "van Gogh"))
        #expect(again.state == state)
        #expect(again.refusal == nil)
    }

    @Test("A screen that a child shows itself is restored, if the child has set its page before")
    func shownByChild() throws {
        let gallery = try gallery()
        gallery.display(page: .archive)
        let archive = try #require(gallery.child(matching: ArchiveCoordinator.self))
        archive.page = .year(1890)
        archive.show(screen("year(1890)"))
        #expect(gallery.pages == ["wall", "years", "year(1890)"])
        #expect(try restored(gallery).titles == ["wall", "years", "year(1890)"])
    }

    @Test("A screen that a child shows without a page is reported once, with what to write")
    func advice() throws {
        var reports: [String] = []
        let report = Advice.report
        Advice.report = { reports.append($0) }
        defer { Advice.report = report }
        let gallery = try gallery()
        gallery.display(page: .archive)
        let archive = try #require(gallery.child(matching: ArchiveCoordinator.self))
        archive.show(PagelessScreen())
        archive.show(PagelessScreen())
        for _ in 0..<2 { _ = gallery.state }
        let own = reports.filter { $0.contains("PagelessScreen") }
        #expect(own.count == 1)
        #expect(own.first?.contains("ArchiveCoordinator shows") == true, "\(own)")
        #expect(own.first?.contains("set 'page' before show(_:)") == true, "\(own)")
    }

    #if DEBUG
        @Test("A coordinator or screen that declares the container without NeedsDependency is reported once")
        func forgottenConformance() throws {
            var reports: [String] = []
            let report = Advice.report
            Advice.report = { reports.append($0) }
            defer { Advice.report = report }
            let application = Application(
                configurations: [
                    SceneConfiguration(name: "Gallery", delegateClass: WindowSceneDelegate<GalleryCoordinator>.self)
                ])
            let session = try application.requestSceneSessionActivation()
            let gallery = try #require(session.sceneCoordinator as? GalleryCoordinator)
            for _ in 0..<2 {
                gallery.startChild(ForgetfulCoordinator(rootViewController: gallery.rootViewController))
                gallery.show(ForgetfulScreen())
            }
            for name in ["ForgetfulCoordinator", "ForgetfulScreen"] {
                let own = reports.filter { $0.contains("'\(name)' declares 'appDependency'") }
                #expect(own.count == 1, "\(name): \(reports)")
                #expect(own.first?.contains("NeedsDependency") == true)
            }
        }
    #endif

    @Test("A page is noted on the screen that shows it, not on another one without a page")
    func others() throws {
        let gallery = try gallery()
        gallery.display(page: .archive)
        let archive = try #require(gallery.child(matching: ArchiveCoordinator.self))
        archive.show(screen("help"))
        archive.display(page: .year(1890))
        #expect(gallery.pages == ["wall", "years", "?", "year(1890)"])
        gallery.rootViewController.userDidTapBack()
        archive.show(screen("more help"))
        #expect(gallery.pages == ["wall", "years", "?", "?"])
    }

    @Test("A page that is shown below a presented sheet is noted on its own screen")
    func below() throws {
        let gallery = try gallery()
        gallery.present(screen("help"))
        gallery.display(page: .picture(4))
        gallery.dismiss()
        #expect(gallery.pages == ["wall", "picture(4)"])
        #expect(gallery.state.screens.map(\.page) == [.wall, .picture(4)])
    }

    @Test("A page of a child that no page of the scene leads to is not restored, and the scene says so")
    func entered() throws {
        let gallery = try gallery()
        gallery.showChild(at: .year(1890)) { ArchiveCoordinator(rootViewController: gallery.rootViewController) }
        let again = try restored(gallery)
        #expect(again.titles == ["wall"])
        #expect(again.refusal?.reason.contains("display(page:)") == true)
    }

    @Test("A presented sheet is restored, with what is on the stack in it")
    func presented() throws {
        let gallery = try gallery()
        gallery.display(page: .picture(4))
        gallery.display(page: .settings)
        #expect(gallery.rootViewController.visibleViewController?.title == "settings")
        let again = try restored(gallery)
        #expect(again.titles == ["wall", "picture(4)"])
        #expect(again.rootViewController.visibleViewController?.title == "settings")
    }

    @Test("Of a tab bar controller, the selected tab and the pages in it are restored")
    func tabs() throws {
        let gallery = try gallery()
        gallery.display(page: .halls)
        gallery.display(page: .hall(2))
        #expect(gallery.tabs?.content.title == "hall(2)")
        #expect(gallery.state.screens.map(\.page) == [.wall, .halls, .hall(2)])
        let state = gallery.state
        let again = try restored(gallery)
        #expect(again.titles == ["wall", "halls"])
        #expect(again.tabs?.content.title == "hall(2)")
        #expect(again.state == state)

        // A page that only selects a tab is restored as often as the scene is.
        again.display(page: .plan)
        again.tabs?.selectedViewController?.restorationState = ["zoom": "2"]
        let plan = try restored(try restored(again))
        #expect(plan.tabs?.content.title == "plan")
        #expect(plan.state.screens.map(\.page) == [.wall, .halls, .plan])
        #expect(plan.tabs?.selectedViewController?.restorationState == ["zoom": "2"])

        // The tab that is not selected is not among the pages.
        plan.tabs?.userDidSelectTab(at: 0)
        #expect(plan.state.screens.map(\.page) == [.wall, .halls])
        #expect(try restored(plan).tabs?.selectedIndex == 0)
    }
}

private enum GalleryPage: Page {
    case wall
    case picture(Int)
    case archive
    case settings
    case halls
    case hall(Int)
    case plan
}

private final class GalleryCoordinator: SceneCoordinator<GalleryPage> {
    override var initialPage: GalleryPage? { .wall }

    override func displayPage(_ page: GalleryPage) {
        switch page {
        case .wall: root(screen("wall"))
        case .picture(let number): show(screen("picture(\(number))"))
        case .archive: showChild(at: .years) { ArchiveCoordinator(rootViewController: rootViewController) }
        case .settings: present(screen("settings"))
        case .halls:
            let tabs = TabBarController(viewControllers: [screen("map"), NavigationController(), screen("plan")])
            tabs.title = "halls"
            show(tabs)
        case .plan: tabs?.selectedIndex = 2
        case .hall(let number):
            tabs?.selectedIndex = 1
            (tabs?.selectedViewController as? NavigationController)?.pushViewController(screen("hall(\(number))"))
        }
    }

    var tabs: TabBarController? { rootViewController.topViewController as? TabBarController }
    var titles: [String] { rootViewController.viewControllers.map { $0.title ?? "?" } }
    var pages: [String] { rootViewController.viewControllers.map { $0.page.map { "\($0)" } ?? "?" } }
}

private enum ArchivePage: Page {
    case years
    case year(Int)
    case painter(year: Int, name: String)
}

private final class ArchiveCoordinator: NavigationCoordinator, PageDisplaying {
    var page = ArchivePage.years

    override func start() { displayPage() }

    func displayPage() {
        switch page {
        case .years: show(screen("years"))
        case .year(let year): show(screen("year(\(year))"))
        case .painter(_, let name): show(screen(name))
        }
    }
}

@MainActor
private func screen(_ title: String) -> ViewController {
    let screen = ViewController()
    screen.title = title
    return screen
}

private final class PagelessScreen: ViewController {}

private final class ForgetfulCoordinator: NavigationCoordinator {
    var appDependency: AppDependency?
}

private final class ForgetfulScreen: ViewController {
    var appDependency: AppDependency?
}
