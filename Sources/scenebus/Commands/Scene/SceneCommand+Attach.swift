import ArgumentParser
import OperatorKit

extension SceneCommand {
    struct Attach: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "attach", abstract: "Shows a scene on the whole terminal, to see it and to act in it.",
            discussion: """
                Tab and the arrows move from field to field, row to row and action to action; Enter performs what is marked. \
                In a field, what is typed goes into it; Ctrl-U empties it, the space bar switches a toggle, and left and \
                right choose. Ctrl-Y brings back a text that has given way to a newer one of the scene. In a field, Enter performs the action that the last line names. Escape goes back, Page Up and Page Down scroll, and \
                Ctrl-C leaves, as q does outside of a field. The scene goes on.

                The last line says whether the scene runs; while it does not, what it showed last is dimmed.

                Without a terminal, or with --json, it is 'scenebus scene watch'.
                """)
        @OptionGroup var client: ClientOptions
        @Argument(help: "The session.") var session: String

        func execute() async throws {
            guard FullScreenTerminal.isAvailable, !client.json else {
                var watch = Watch()
                watch.client = client
                watch.session = session
                return try await watch.execute()
            }
            let host = try await HostClient(client)
            defer { host.close() }
            let surface = try SceneSurface(session, at: host)
            try await host.unlessRefused { try await surface.run() }
        }
    }
}
