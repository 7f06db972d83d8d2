import CoordinatorKit
import Foundation
import SceneWorker

/// A worker for tests. Its scenes of one kind end its process when they are looked at, until there is a file "fixed" in
/// its working folder. Those of another kind do so once: they leave a file "crashed" there.
@main struct CrashingWorker {
    static func main() {
        SceneWorker.main(
            id: "crashing",
            scenes: [
                SceneConfiguration(name: "Good", delegateClass: WindowSceneDelegate<GoodCoordinator>.self),
                SceneConfiguration(name: "Bad", delegateClass: WindowSceneDelegate<BadCoordinator>.self),
                SceneConfiguration(name: "Once", delegateClass: WindowSceneDelegate<OnceCoordinator>.self),
            ])
    }
}

enum OnlyPage: Page { case only }

final class GoodScreen: ViewController {
    override var content: ScreenContent { ScreenContent(title: "good") }
}

final class BadScreen: ViewController {
    override var content: ScreenContent {
        guard FileManager.default.fileExists(atPath: "fixed") else { fatalError("the content is broken") }
        return ScreenContent(title: "bad, but fixed")
    }
}

final class OnceScreen: ViewController {
    override var content: ScreenContent {
        guard FileManager.default.fileExists(atPath: "crashed") else {
            _ = FileManager.default.createFile(atPath: "crashed", contents: nil)
            fatalError("the content was broken once")
        }
        return ScreenContent(title: "all right now")
    }
}

final class GoodCoordinator: SceneCoordinator<OnlyPage> {
    override var initialPage: OnlyPage? { .only }
    override func displayPage(_ page: OnlyPage) { root(GoodScreen()) }
}

final class BadCoordinator: SceneCoordinator<OnlyPage> {
    override var initialPage: OnlyPage? { .only }
    override func displayPage(_ page: OnlyPage) { root(BadScreen()) }
}

final class OnceCoordinator: SceneCoordinator<OnlyPage> {
    override var initialPage: OnlyPage? { .only }
    override func displayPage(_ page: OnlyPage) { root(OnceScreen()) }
}
