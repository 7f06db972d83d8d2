import CoordinatorKit
import Glibc
import PluginKit
import SceneHost
import SceneWorker

/// A host, a plugin or a worker for tests, as POSTING_ROLE says. An action of the worker's scene posts a message, and the
/// plugin or the host that handles it sets the entry that the scene shows.
@main struct PostingApp {
    static func main() {
        switch getenv("POSTING_ROLE").map({ String(cString: $0) }) {
        case "host":
            AppHost.main(id: "posting") { process in
                AppHost(
                    process.configuration, delegate: TallyDelegate(), handles: [TallyMessagesList.self],
                    logger: process.logger)
            }
        case "plugin":
            Plugin.main(id: "tally", provides: ["tally"]) { plugin in
                plugin.respond(TallyResponder(), to: TallyMessagesList.self)
            }
        default:
            SceneWorker.main(
                id: "wall",
                scenes: [SceneConfiguration(name: "Tally", delegateClass: WindowSceneDelegate<TallyCoordinator>.self)])
        }
    }
}

extension AppDependency {
    @Entry var tally: Int?
}

@ResponderMessages
protocol TallyMessages {
    func tallyAdd(amount: Int)
}

extension ResponderChain: TallyMessages {}

final class TallyResponder: PluginResponder, TallyMessages {
    func tallyAdd(amount: Int) { plugin?.appDependency.tally = (plugin?.appDependency.tally ?? 0) + amount }
}

final class TallyDelegate: AppDelegate, TallyMessages {
    func tallyAdd(amount: Int) {
        var container = appDependency ?? AppDependency()
        container.tally = (container.tally ?? 0) + amount
        appDependency = container
    }
}

enum TallyPage: Page { case only }

final class TallyScreen: ViewController, NeedsDependency {
    var appDependency: AppDependency? { didSet { setNeedsContentUpdate() } }

    override var content: ScreenContent {
        ScreenContent(title: "Tally: \(appDependency?.tally ?? 0)", actions: [.init(name: "add")])
    }

    override func perform(action: String, fields: [String: String]) async throws { chain.tallyAdd(amount: 1) }
}

final class TallyCoordinator: SceneCoordinator<TallyPage> {
    override var initialPage: TallyPage? { .only }
    override func displayPage(_ page: TallyPage) { root(TallyScreen()) }
}
