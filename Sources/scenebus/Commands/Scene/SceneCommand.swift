import OperatorKit
import ArgumentParser
import Bus
import Messaging

struct SceneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scene", abstract: "Shows and operates the scene of a session.",
        subcommands: [Show.self, Watch.self, Attach.self, Act.self, Move.self])

    struct Show: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Prints the current content of a scene as text.")
        @OptionGroup var client: ClientOptions
        @Argument(help: "The session.") var session: String

        func execute() async throws {
            let content = try await client.withHost { try await $0.chain.hostSceneContent(session: session) }
            if client.json { return try printJSON(content) }
            printLines(content.text())
        }
    }

    struct Move: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "move", abstract: "Moves a scene to another worker, where it continues with its state.",
            discussion: """
                The scene is suspended, its state is stored, and another worker resumes it. Inputs wait meanwhile and \
                are delivered in order. If that worker cannot read the state, the scene stays with its worker.

                EXAMPLES:
                  scenebus scene move k3m9xw2p --to lobby-2
                  scenebus scene move k3m9xw2p
                """)
        @OptionGroup var client: ClientOptions
        @Argument(help: "The session.") var session: String
        @Option(help: "The worker (default: the one with the most free capacity).") var to: String?

        func execute() async throws {
            let status = try await client.withHost { try await $0.chain.hostMove(session: session, worker: to) }
            if client.json { return try printJSON(status) }
            printLine("\(status.session) runs in \(status.worker ?? "no worker"), process \(status.pid ?? 0)")
        }
    }

    struct Act: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "act", abstract: "Runs an action of a scene's content, as its user would.",
            discussion: """
                \(FieldArgument.help)

                The action is done at most once. It is sent again when the link to the host is lost and comes back in \
                time; if a process dies that was doing it, the command says that it may have been done.

                EXAMPLES:
                  scenebus scene act k3m9xw2p login username=ada password@
                  scenebus scene act k3m9xw2p login username=ada password@- < password.txt
                  scenebus scene act k3m9xw2p back
                """)
        @OptionGroup var client: ClientOptions
        @Argument(help: "The session.") var session: String
        @Argument(help: "The action, as 'scene show' lists it.") var action: String
        @Argument(help: "Values of the scene's fields, each as name=value, name@FILE, name@- or name@.")
        var values: [String] = []

        func execute() async throws {
            let fields = try FieldArguments(values)
            let content = try await client.withHost { host in
                if fields.standInArguments {
                    // The scene declares which of its fields are secret. For a field that it does not show now, only
                    // the name can tell.
                    let shown = try await host.chain.hostSceneContent(session: session).fields
                    try fields.refuseSecrets { name in
                        shown.first { $0.name == name }?.isSecret ?? FieldArgument.isSecret(name)
                    }
                }
                let texts = try await fields.texts()
                // The link sends it again when it is lost and comes back.
                try await host.chain.hostScenePerform(session: session, layer: nil, action: action, fields: texts)
                do {
                    return try await host.chain.hostSceneContent(session: session)
                } catch {
                    let reason = CommandError(error).message
                    throw CommandError(
                        .failure, "'\(action)' is done. What the scene shows now is not known: \(reason)")
                }
            }
            if client.json { return try printJSON(content) }
            printLines(content.text())
        }
    }
}
