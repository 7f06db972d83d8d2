import ArgumentParser
import CBOR
import Messaging
import OperatorKit

extension SceneCommand {
    struct Watch: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch", abstract: "Prints a line for each change of a scene, until Ctrl-C.",
            discussion: """
                A line has the state of the session, the title of what the scene shows, and which of its blocks have \
                changed. Changes that come faster than they are printed are put together.

                With --json, each line is an object with "session", "state" (null while the host is away), "problem" (null \
                for none), "since" (in this state, in seconds since 1970), and either "content", the whole of what the scene \
                shows, or "difference" from the line before, or neither if only the state has changed. In a difference, \
                null removes. While others watch the scene, "others" lists up to 16 of them, each with its "surface", as it \
                says, and the "name" of a user or a key (null for none), and "furtherOthers" is the number of those beside.

                When the link to the host is lost, the command says so on standard error, reconnects and continues.

                EXAMPLES:
                  scenebus scene watch k3m9xw2p
                  scenebus scene watch k3m9xw2p --json | jq .state
                """)
        @OptionGroup var client: ClientOptions
        @Argument(help: "The session.") var session: String

        func execute() async throws {
            let host = try await HostClient(client)
            defer { host.close() }
            let json = client.json
            let changes = SceneChanges(of: session, for: SceneViewers(on: "command line"), over: host.chain)
            try await host.goOnUntilInterrupted {
                var last: WatchedScene?
                for try await scene in changes {
                    if json { printJSON(scene.item) } else { printLine(scene.line(after: last)) }
                    flushOutput()
                    last = scene
                }
            }
        }
    }
}
