extension PackageTemplate {
    static let messages = """
        import CoordinatorKit

        extension AppDependency {
            /// The total, which every scene shows.
            @Entry public var total: Int?
        }

        /// The messages of this application.
        @ResponderMessages
        public protocol {{Name}}Messages {
            /// Adds to the total, and returns the new one.
            func {{name}}Add(amount: Int) async throws -> Int
        }

        extension ResponderChain: {{Name}}Messages {}
        """

    static let coordinator = """
        import CoordinatorKit

        /// The pages of a scene.
        enum {{Name}}Page: Page {
            case counter
            case about
        }

        /// The top coordinator of a scene.
        public final class {{Name}}Coordinator: SceneCoordinator<{{Name}}Page> {
            public override var initialPage: {{Name}}Page? { .counter }

            public override func displayPage(_ page: {{Name}}Page) {
                switch page {
                case .counter: root(CounterViewController())
                case .about: show(AboutViewController())
                }
            }

            public override func resolve(_ link: DeepLink) throws -> {{Name}}Page {
                guard let url = try link.urlParts(), url.scheme == "{{name}}" else {
                    throw DeepLinkRefusal(link, "it does not start with {{name}}://")
                }
                switch url.path {
                case []: return .counter
                case ["about"]: return .about
                default: throw DeepLinkRefusal(link, "the pages are {{name}}:// and {{name}}://about")
                }
            }

            /// The configuration of the scenes, for a worker and for tests.
            public static let configuration = SceneConfiguration(
                name: "{{Name}}", delegateClass: WindowSceneDelegate<{{Name}}Coordinator>.self)
        }
        """.replacing("enum {{Name}}Page", with: "public enum {{Name}}Page")

    static let screens = """
        import CoordinatorKit

        /// Shows the total, and lets the user add to it.
        final class CounterViewController: ViewController, NeedsDependency {
            var appDependency: AppDependency? { didSet { setNeedsContentUpdate() } }

            override var screen: Screen? {
                Screen("{{Name}}") {
                    Fact("Total", .count(appDependency?.total ?? 0))
                    Action("Add one", name: "add") { [self] in _ = try await chain.{{name}}Add(amount: 1) }
                }
            }
        }

        /// Says what this is.
        final class AboutViewController: ViewController {
            override var screen: Screen? {
                Screen("About {{Name}}") { Text("An application on SceneBus.") }
            }
        }
        """

    static let workerMain = """
        import SceneWorker
        import {{Name}}

        @main struct {{Name}}Worker {
            static func main() {
                SceneWorker.main(id: "{{name}}", capacity: 4, scenes: [{{Name}}Coordinator.configuration])
            }
        }
        """

    /// The target of the library with the scenes, in a manifest.
    static let scenesTarget = """
                .target(name: "{{Name}}", dependencies: [.product(name: "CoordinatorKit", package: "{{scenebus}}")]),
        """

    /// The target of the worker that runs the scenes, in a manifest.
    static let workerTarget = """
                .executableTarget(
                    name: "{{name}}-worker", dependencies: ["{{Name}}", .product(name: "SceneWorker", package: "{{scenebus}}")]),
        """

    static let worker = [
        "Package.swift": manifest([scenesTarget, workerTarget]),
        "Sources/{{Name}}/{{Name}}Messages.swift": messages,
        "Sources/{{Name}}/{{Name}}Coordinator.swift": coordinator,
        "Sources/{{Name}}/Screens.swift": screens,
        "Sources/{{name}}-worker/{{Name}}Worker.swift": workerMain,
        "Tests/{{Name}}Tests/{{Name}}Tests.swift": """
        import CoordinatorKit
        import Testing
        import {{Name}}

        /// The scenes in one process, with a delegate in place of the host.
        @MainActor
        struct {{Name}}Tests {
            @Test func `A scene shows the total, and adds to it`() async throws {
                let application = Application(delegate: Counter(), configurations: [{{Name}}Coordinator.configuration])
                try application.launch()
                let session = try application.requestSceneSessionActivation()
                let window = try #require(session.scene?.window)
                #expect(window.content.texts == ["Total: 0"])
                try await window.perform(action: "add")
                #expect(window.content.texts == ["Total: 1"])
            }

            @Test func `A link shows a page`() throws {
                let application = Application(configurations: [{{Name}}Coordinator.configuration])
                let session = try application.requestSceneSessionActivation()
                try application.open(.url("{{name}}://about"))
                #expect(session.scene?.window?.content.title == "About {{Name}}")
            }
        }

        private final class Counter: AppDelegate, {{Name}}Messages {
            func {{name}}Add(amount: Int) async throws -> Int {
                let total = (appDependency?.total ?? 0) + amount
                appDependency?.total = total
                return total
            }
        }
        """,
        "README.md": """
        # {{Name}}

        A scene worker. A host, or a plugin of it, handles `{{name}}Add` and sets the entry `total`; without them, the total
        stays 0, and adding to it fails with the reason.

            swift test
            scenebus host --no-store &
            swift run {{name}}-worker &
            scenebus wait --scene {{Name}}
            scenebus sessions open {{Name}}
        """,
    ]

    static let workerSteps = [
        "swift test", "scenebus host --no-store &            unless a host runs already",
        "swift run {{name}}-worker &", "scenebus wait --scene {{Name}}", "scenebus sessions open {{Name}}",
    ]
}
