import ArgumentParser
import Bus
import CoordinatorKit

struct SceneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scene", abstract: "Shows and operates the scene of a session.",
        subcommands: [Show.self, Act.self])

    struct Show: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows what a scene shows now, as text.")
        @OptionGroup var client: ClientOptions
        @Argument(help: "The session.") var session: String

        func execute() async throws {
            let content = try await client.withHost { try await $0.chain.hostSceneContent(session: session) }
            if client.json { return try printJSON(content) }
            print(content.text())
        }
    }

    struct Act: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "act", abstract: "Does what a user of a scene would: runs an action of what it shows.",
            discussion: """
                EXAMPLES:
                  scenebus scene act k3m9xw2p login username=ada password=secret123
                  scenebus scene act k3m9xw2p back
                """)
        @OptionGroup var client: ClientOptions
        @Argument(help: "The session.") var session: String
        @Argument(help: "The action, as 'scene show' lists it.") var action: String
        @Argument(help: "Values of the scene's fields, each as field=value.") var values: [String] = []

        func execute() async throws {
            let fields = Dictionary(try fields(values), uniquingKeysWith: { $1 })
            let content = try await client.withHost {
                try await $0.chain.hostSceneAct(session: session, action: action, fields: fields)
            }
            if client.json { return try printJSON(content) }
            print(content.text())
        }
    }
}
