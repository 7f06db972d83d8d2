import Testing

extension CommandTests {
    /// What the compiler says about the mistakes of somebody who knows the pattern from UIKit.
    @Suite(.timeLimit(.minutes(5)))
    struct DiagnosticsTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        /// Type-checks a source against the package's modules.
        /// - Returns: the compiler's errors and warnings.
        private func problems(of source: String) async throws -> [String] {
            let path = try installation.write(
                "import CoordinatorKit\nimport Messaging\n\(source)\n", to: "Snippet.swift")
            let outcome = try await installation.compile(["-typecheck"], files: [path])
            return outcome.error.split(separator: "\n").map(String.init).filter {
                $0.contains(": error: ") || $0.contains(": warning: ")
            }
        }

        private static let messages = """
            @ResponderMessages protocol AccountMessages {
                func accountLogin(username: String) async throws -> Int
            }

            """

        @Test("A correct source has no problems")
        func correct() async throws {
            #expect(
                try await problems(
                    of: Self.messages + """
                        extension ResponderChain: AccountMessages {}
                        @MainActor final class DataManager {}
                        final class Parser {}
                        extension AppDependency {
                            @Entry var total: Int?
                            @Entry(.local) var dataManager: DataManager?
                            @MainActor @Entry(.local) var parser: Parser?
                            @Entry(.local) var format: (@Sendable (Int) -> String)?
                            @Entry(.local) var type: (any Error)?
                        }
                        final class Scenes: SceneDelegate {
                            override func scene(
                                _ scene: Scene, willConnectTo session: SceneSession, options: Scene.ConnectionOptions
                            ) {}
                        }
                        func launchID(of info: [String: CBORValue]) -> String? { info["launch_id"]?.stringValue }
                        final class CartCoordinator: NavigationCoordinator, NeedsDependency, AccountMessages {
                            var appDependency: AppDependency?
                            /// A property of one's own hides the hint about UIKit's.
                            var navigationController: NavigationController { rootViewController }
                            func push() { navigationController.pushViewController(ViewController()) }
                            func accountLogin(username: String) async throws -> Int { appDependency?.total ?? 0 }
                        }
                        enum ShopPage: Page { case list, item(Int) }
                        @MainActor protocol ListOutput: AnyObject { func display(page: ShopPage) }
                        final class Shop: SceneCoordinator<ShopPage>, ListOutput {
                            override func displayPage(_ page: ShopPage) {
                                if page == .list { display(page: .item(1)) }
                            }
                            func userSelected(_ items: [Int]) {
                                items.map(ShopPage.item).forEach(display(page:))
                                super.display(page: .list)
                                Task { [weak self] in self?.display(page: .list) }
                            }
                        }
                        @MainActor func show<P>(_ page: P, in scene: SceneCoordinator<P>) { scene.display(page: page) }
                        """) == [])
        }

        @Test(
            "A mistake is an error that says what to write",
            arguments: [
                (
                    "an entry that cannot cross",
                    "final class DataManager {}\nextension AppDependency { @Entry var dataManager: DataManager? }",
                    "write '@Entry(.local)' for an object that stays in its process"
                ),
                (
                    "a local entry that is not Sendable",
                    "final class Parser {}\nextension AppDependency { @Entry(.local) var parser: Parser? }",
                    "make its class '@MainActor' or Sendable, or write '@MainActor @Entry(.local)'"
                ),
                (
                    "a local entry whose closure is not Sendable",
                    "extension AppDependency { @Entry(.local) var format: ((Int) -> String)? }",
                    "a local entry can be read on any thread, so its type is Sendable"
                ),
                (
                    "an entry that is not optional", "extension AppDependency { @Entry var total: Int }",
                    "declare 'total' with an optional type"
                ),
                (
                    "every responder conforms",
                    messages
                        + "extension ResponderChain: AccountMessages {}\nextension Responder: AccountMessages {}",
                    "Write 'extension ResponderChain: <messages> {}' to send them, and conform the class that handles them"
                ),
                (
                    "the chain does not conform", messages,
                    "write 'extension ResponderChain: <messages> {}' after the protocol, so that its messages can be sent"
                ),
                (
                    "a reply that cannot cross",
                    """
                    final class Report {}
                    @ResponderMessages protocol ReportMessages { func reportMake(year: Int) async throws -> Report }
                    extension ResponderChain: ReportMessages {}
                    """, "the parameters and the reply of a message go to other processes"
                ),
                (
                    "nested messages", "enum Shop { @ResponderMessages protocol CartMessages { func cartShow() } }",
                    "declare 'CartMessages' at file scope"
                ),
                (
                    "UIKit's names", "final class ListViewController: UIViewController {}",
                    "'UIViewController' has been renamed to 'ViewController'"
                ),
                (
                    "a coordinator's navigation controller",
                    """
                    final class Cart: NavigationCoordinator {
                        override func start() { navigationController?.pushViewController(ViewController()) }
                    }
                    """, "a coordinator shows a screen with show(_:)"
                ),
                (
                    "a navigation item",
                    """
                    final class List: ViewController {
                        override func viewDidLoad() { navigationItem.title = "List" }
                    }
                    """, "set its title, and list its actions in its content"
                ),
                (
                    "UIKit's launch options",
                    """
                    final class Delegate: AppDelegate {
                        func application(
                            _ application: Application,
                            didFinishLaunchingWithOptions options: [Application.LaunchOptionsKey: Any]?
                        ) -> Bool { true }
                    }
                    """, "launch options are a LaunchOptions value"
                ),
                (
                    "UIKit's notifications",
                    """
                    final class Delegate: AppDelegate {
                        func application(
                            _ application: Application, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
                        ) {}
                    }
                    """, "overriding declaration requires an 'override' keyword"
                ),
                (
                    "UIKit's URL contexts",
                    """
                    final class Delegate: SceneDelegate {
                        func scene(_ scene: Scene, openURLContexts contexts: Set<UIOpenURLContext>) {}
                    }
                    """, "override scene(_:open:) of SceneDelegate"
                ),
                (
                    "a delegate's method without override",
                    "final class Delegate: AppDelegate { func applicationDidBecomeActive(_ application: Application) {} }",
                    "overriding declaration requires an 'override' keyword"
                ),
                (
                    "a controller's method without override",
                    "final class List: ViewController { func viewWillAppear(_ animated: Bool) {} }",
                    "overriding declaration requires an 'override' keyword"
                ),
                (
                    "a stored window", "final class Delegate: SceneDelegate { var window: Window? }",
                    "cannot override with a stored property 'window'"
                ),
                (
                    "the former way to show a page",
                    """
                    enum ShopPage: Page { case list }
                    final class Shop: SceneCoordinator<ShopPage> { override func display(page: ShopPage) {} }
                    """, "override displayPage(_:) instead"
                ),
                (
                    "the former way to show a page, without override",
                    """
                    enum ShopPage: Page { case list }
                    final class Shop: SceneCoordinator<ShopPage> { func display(page: ShopPage) {} }
                    """, "override displayPage(_:) instead"
                ),
            ] as [(String, String, String)])
        func mistake(what: String, source: String, error: String) async throws {
            let problems = try await problems(of: source)
            #expect(problems.contains { $0.contains(error) }, "\(what): \(problems)")
        }
    }
}
