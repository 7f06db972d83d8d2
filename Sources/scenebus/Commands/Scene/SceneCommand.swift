import ArgumentParser
import Bus
import Messaging
import OperatorKit
import SceneContent

struct SceneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scene", abstract: "Shows and operates the scene of a session.",
        subcommands: [Show.self, Watch.self, Attach.self, Act.self, Move.self])

    struct Show: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Prints what a scene shows now, as text.",
            discussion: """
                Each part is printed as 'scenebus scene attach' shows it, with the names with which a command acts: those of \
                actions in brackets before their labels, those of fields in parentheses behind their values, and the keys of \
                rows in brackets behind them, with the row's action. Of a sheet over a screen, the sheet is printed.

                Lines are as wide as the terminal. Without a terminal nothing is wrapped or cut.

                With --json, it is an object with the plain content: "title", "texts", "items", "fields" and "actions". \
                'scenebus scene watch --json' begins with all of it.

                EXAMPLES:
                  scenebus scene show k3m9xw2p
                  scenebus scene show k3m9xw2p --json | jq .title
                """)
        @OptionGroup var client: ClientOptions
        @Argument(help: "The session.") var session: String

        func execute() async throws {
            try await client.withHost { try await SceneCommand.shown(session, at: $0, client) }.print()
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
            let shown = try await client.withHost { host in
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
                    return try await SceneCommand.shown(session, at: host, client)
                } catch {
                    let reason = CommandError(error).message
                    throw CommandError(
                        .failure, "'\(action)' is done. What the scene shows now is not known: \(reason)")
                }
            }
            try shown.print()
        }
    }

    /// What a scene shows, as it is printed.
    private enum Shown: Sendable {
        case plain(ScreenContent)
        case picture(SceneLayers)

        /// The columns of a line where the output goes to no terminal: programs that read it look for words in a line.
        private static let unlimited = 1 << 20

        func print() throws {
            switch self {
            case .plain(let content): try printJSON(content)
            case .picture(let layers): printLines(layers.text(width: OutputTerminal.width ?? Self.unlimited))
            }
        }
    }

    /// Asks for what a scene shows now.
    @MainActor
    private static func shown(_ session: String, at host: HostClient, _ client: ClientOptions) async throws -> Shown {
        typealias Picture = HostMessagesList.hostScenePicture
        guard !client.json else { return .plain(try await host.chain.hostSceneContent(session: session)) }
        do {
            return .picture(try await host.chain.hostScenePicture(session: session))
        } catch let error as MessageError where error.code == .unhandled && error.message == Picture.name {
            // An older host has the plain content alone.
            return .picture(SceneLayers([ContentLayer(try await host.chain.hostSceneContent(session: session))]))
        }
    }
}
