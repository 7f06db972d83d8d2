extension PackageTemplate {
    /// The target of the host, in a manifest.
    private static let hostTarget = """
                .executableTarget(
                    name: "{{name}}-host", dependencies: ["{{Name}}", .product(name: "SceneHost", package: "{{scenebus}}")]),
        """

    static let app = worker.merging([
        "Package.swift": manifest([scenesTarget, hostTarget, workerTarget]),
        "Sources/{{Name}}/{{Name}}Delegate.swift": """
        import CoordinatorKit

        /// The delegate of the host's application: the shared state, and the top of the responder chain.
        public final class {{Name}}Delegate: AppDelegate, {{Name}}Messages {
            private var total = 0

            public override init() {}

            public override func rebuildDependencies() {
                appDependency = AppDependency { $0.total = total }
            }

            public func {{name}}Add(amount: Int) async throws -> Int {
                total += amount
                appDependency?.total = total
                return total
            }
        }
        """,
        "Sources/{{name}}-host/{{Name}}Host.swift": """
        import SceneHost
        import {{Name}}

        @main struct {{Name}}Host {
            static func main() {
                AppHost.main(id: "{{name}}") { process in
                    AppHost(
                        process.configuration, delegate: {{Name}}Delegate(), handles: [{{Name}}MessagesList.self],
                        logger: process.logger)
                }
            }
        }
        """,
        "Tests/{{Name}}Tests/{{Name}}Tests.swift": """
        import CoordinatorKit
        import Testing
        import {{Name}}

        /// The whole application in one process.
        @MainActor
        struct {{Name}}Tests {
            private let application = Application(
                delegate: {{Name}}Delegate(), configurations: [{{Name}}Coordinator.configuration])

            @Test func `What one scene adds, every scene shows`() async throws {
                try application.launch()
                let (first, second) = (
                    try application.requestSceneSessionActivation(), try application.requestSceneSessionActivation()
                )
                try await first.scene?.window?.perform(action: "add")
                #expect(first.scene?.window?.content.texts == ["Total: 1"])
                #expect(second.scene?.window?.content.texts == ["Total: 1"])
            }

            @Test func `A link shows a page`() throws {
                let session = try application.requestSceneSessionActivation()
                try application.open(.url("{{name}}://about"))
                #expect(session.scene?.window?.content.title == "About {{Name}}")
            }
        }
        """,
        "README.md": """
        # {{Name}}

        An application on SceneBus: its own host, which keeps the total, and a worker for its scenes.

            swift test
            swift run {{name}}-host &
            swift run {{name}}-worker &
            scenebus wait --scene {{Name}}
            session=$(scenebus sessions open {{Name}})
            scenebus wait --sessions
            scenebus scene act $session add
            scenebus open-url {{name}}://about
            scenebus sessions close $session

        The host keeps open sessions in its store, also when it is not running.
        """,
    ]) { $1 }

    static let appSteps = [
        "swift test", "swift run {{name}}-host               in a terminal of its own; Ctrl-C ends it",
        "swift run {{name}}-worker &           a process for scenes", "scenebus wait --scene {{Name}}",
        "scenebus sessions open {{Name}}",
    ]
}
