extension PackageTemplate {
    static let plugin = [
        "Package.swift": manifest([
            """
                    .target(
                        name: "{{Name}}",
                        dependencies: [
                            .product(name: "Messaging", package: "{{scenebus}}"), .product(name: "PluginKit", package: "{{scenebus}}"),
                        ]),
                    .executableTarget(name: "{{name}}-plugin", dependencies: ["{{Name}}"]),
            """
        ]),
        "Sources/{{Name}}/{{Name}}Messages.swift": messages.replacing(
            "import CoordinatorKit", with: "import Messaging"),
        "Sources/{{Name}}/{{Name}}Responder.swift": """
        import Messaging
        import PluginKit

        /// Handles the plugin's messages, and sets its entry.
        public final class {{Name}}Responder: PluginResponder, {{Name}}Messages {
            private var total = 0

            public override init() {}

            public func {{name}}Add(amount: Int) async throws -> Int {
                total += amount
                try plugin?.set(\\.total, to: total)
                return total
            }
        }
        """,
        "Sources/{{name}}-plugin/{{Name}}Plugin.swift": """
        import Messaging
        import PluginKit
        import {{Name}}

        @main struct {{Name}}Plugin {
            static func main() {
                Plugin.main(id: "{{name}}", provides: ["total"]) { plugin in
                    plugin.respond({{Name}}Responder(), to: {{Name}}MessagesList.self)
                    try plugin.set(\\.total, to: 0)
                }
            }
        }
        """,
        "Tests/{{Name}}Tests/{{Name}}Tests.swift": """
        import Messaging
        import Testing
        import {{Name}}

        @MainActor
        struct {{Name}}Tests {
            @Test func `Amounts are added to the total`() async throws {
                let responder = {{Name}}Responder()
                #expect(try await responder.chain.{{name}}Add(amount: 2) == 2)
                #expect(try await responder.chain.{{name}}Add(amount: 3) == 5)
            }
        }
        """,
        "plugin.json": """
        {
            "id": "{{name}}",
            "version": "1.0.0",
            "protocol": { "min": 1, "max": 1 },
            "executable": ".build/debug/{{name}}-plugin",
            "handles": ["{{name}}Add"],
            "provides": ["total"]
        }
        """,
        "README.md": """
        # {{Name}}

        A plugin. Started by hand, it attaches to the host of this machine; with `plugin.json` in a folder of the host's
        `--plugins`, the host starts it.

            swift test
            scenebus host --no-store &
            swift run {{name}}-plugin &
            scenebus request {{name}}Add amount=2
            scenebus deps get
        """,
    ]

    static let pluginSteps = [
        "swift test", "scenebus host --no-store &            unless a host runs already",
        "swift run {{name}}-plugin &", "scenebus request {{name}}Add amount=2",
    ]
}
