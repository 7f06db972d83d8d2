import CoordinatorKit
import Testing

/// The snippets of "Coordinator pattern in iOS 13 world" (radianttap): an application without scenes, and one with them.
/// What differs from "Recommended implementation" is in `ImplementTests`.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ScenesTests {
    @Test("Before iOS 13: the delegate's window shows the application coordinator's root")
    func window() {
        let delegate = Scenes.AppDelegate()
        let application = Application(delegate: delegate)
        #expect(delegate.application(application, willFinishLaunchingWithOptions: LaunchOptions()))
        #expect(delegate.window?.content.title == "first")
        #expect(delegate.applicationCoordinator.isStarted)
    }

    @Test("coordinatingResponder: what no coordinator handles reaches the application's delegate")
    func responder() async throws {
        let delegate = Scenes.AppDelegate()
        let application = Application(delegate: delegate)
        _ = delegate.application(application, willFinishLaunchingWithOptions: LaunchOptions())
        let screen = try #require(delegate.applicationCoordinator.rootViewController.topViewController)
        screen.chain.openURL("shop://cart")
        #expect(delegate.opened == ["shop://cart"])
    }

    @Test("LaunchOptions: the link that launched the application reaches its delegate")
    func launch() throws {
        let delegate = Scenes.AppDelegate()
        try Application(delegate: delegate).launch(options: LaunchOptions(link: .url("shop://cart")))
        #expect(delegate.launchedWith == .url("shop://cart"))
    }

    @Test("openSessions and connectedScenes: a session outlives its scene")
    func sessions() throws {
        let application = Application(
            configurations: [SceneConfiguration(name: "Shop", delegateClass: SceneDelegate.self)])
        let session = try application.requestSceneSessionActivation()
        #expect(application.connectedScenes.count == 1)
        application.disconnect(try #require(session.scene))
        #expect(application.openSessions == [session])
        #expect(application.connectedScenes.isEmpty)
    }
}

enum Scenes {
    final class AppDelegate: CoordinatorKit.AppDelegate, ScenesMessages {
        var window: Window?
        lazy var applicationCoordinator = ApplicationCoordinator(applicationDelegate: self)
        private(set) var opened: [String] = []
        private(set) var launchedWith: DeepLink?

        override func application(
            _ application: Application, willFinishLaunchingWithOptions launchOptions: LaunchOptions
        ) -> Bool {
            window = Window()
            window?.rootViewController = applicationCoordinator.rootViewController
            window?.makeKeyAndVisible()
            applicationCoordinator.start()
            launchedWith = launchOptions.link
            return true
        }

        func openURL(_ url: String) { opened.append(url) }
    }

    final class ApplicationCoordinator: NavigationCoordinator {
        weak var appDelegate: AppDelegate?

        init(applicationDelegate: AppDelegate) {
            appDelegate = applicationDelegate
            super.init(rootViewController: NavigationController())
        }

        override var coordinatingResponder: Responder? {
            return appDelegate
        }

        override func start() {
            super.start()
            let vc = ViewController()
            vc.title = "first"
            show(vc)
        }
    }
}

@ResponderMessages
protocol ScenesMessages {
    func openURL(_ url: String)
}

extension ResponderChain: ScenesMessages {}
