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
        "Plugins/{{Name}}/plugin.json": """
        {
            "id": "{{name}}",
            "version": "1.0.0",
            "protocol": { "min": 1, "max": 1 },
            "executable": "{{name}}-worker",
            "scenes": ["{{Name}}"],
            "capacity": 4
        }
        """,
        "README.md": """
        # {{Name}}

        An application on SceneBus: its own host, which keeps the total, and a worker for its scenes. The host starts the
        worker, as `Plugins/{{Name}}/plugin.json` says, and starts it again when it ends.

            swift test
            swift build
            .build/debug/{{name}}-host --plugins Plugins

        It runs until Ctrl-C. In a second terminal:

            scenebus wait --plugins
            session=$(scenebus sessions open {{Name}})
            scenebus wait --sessions
            scenebus scene act $session add
            scenebus open-url {{name}}://about
            scenebus sessions close $session

        To see and use it in a browser, start the host with the console, which is a plugin of SceneBus, and ask for an address. The
        console is there if SceneBus was built with its trait `Console`, as `deploy/run` does in its folder, and `scenebus` is on the
        `PATH` of this terminal:

            .build/debug/{{name}}-host --plugins Plugins --plugins {{console}}

            scenebus wait --plugins
            scenebus sessions open {{Name}}
            scenebus request consoleLink

        The host keeps open sessions in its store, also when it is not running. After `swift build`, start it again, or only the
        worker: `scenebus worker restart {{name}}`.

        The manifest names the worker's executable, which is beside the host's. So both folders may have other names: that of the
        package, of which you then delete `.build`, and that of the manifest, whose `id` is what counts.
        """,
    ]) { $1 }

    static let appSteps = [
        "swift test", "swift build",
        ".build/debug/{{name}}-host --plugins Plugins     in a terminal of its own; Ctrl-C ends it",
        "scenebus wait --plugins", "scenebus sessions open {{Name}}",
    ]
}
