import PeerLink
import ArgumentParser
import Bus
import CBOR
import CoordinatorKit
import OperatorKit

struct SessionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "Lists, opens, shows, tries again and closes sessions.",
        subcommands: [List.self, Open.self, Show.self, Retry.self, Reset.self, Close.self])

    struct List: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "Lists the open sessions.",
            discussion: """
                STATE is one of:
                  running      a worker runs its scene
                  connecting   a worker is creating its scene
                  moving       its scene is moving to another worker; inputs wait
                  resuming     its worker has reconnected with its scene and is about to resume it
                  cut off      a worker that is not attached may still run its scene
                  withdrawing  the host has asked a worker that may have created its scene to end it
                  waiting      no worker runs its scene; PROBLEM is the reason. A session whose scene was in the hands
                               of two workers when they crashed stays here: see 'scenebus sessions retry --help'
                """)
        @OptionGroup var client: ClientOptions
        @OptionGroup var watching: WatchOptions
        @Option(help: "List only the sessions that are assigned to this worker.") var worker: String?

        func execute() async throws {
            try await watching.show(of: client) { host in
                try listing(of: try await host.chain.hostSessions(of: worker))
            }
        }

        private func listing(of sessions: [SessionStatus]) throws -> TableListing {
            var table = Table("SESSION", "CONFIGURATION", "ROLE", "STATE", "WORKER", "PID", "PROBLEM")
            for session in sessions {
                table.add(
                    session.session, session.configuration, session.role, session.state.rawValue, session.worker ?? "-",
                    session.pid.map { "\($0)" } ?? "-", session.problem ?? "")
            }
            return TableListing(
                table,
                whenEmpty: worker == nil
                    ? "no session is open; 'scenebus sessions open' opens one" : "it has no sessions",
                json: try CBORValue(listing: sessions))
        }
    }

    struct Open: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "open", abstract: "Opens a session.",
            discussion: """
                Prints the name of the new session. With --url, the command waits up to --timeout seconds until the \
                session has a scene, and opens the URL in it. If there is no scene by then, or the scene refuses the \
                URL, the command reports that on standard error and ends with 4; the session stays open. With --id, it \
                ends with 4 if a session of that name is open already.

                EXAMPLES:
                  scenebus sessions open
                  scenebus sessions open ControlRoom --url controlroom://process/1
                  scenebus sessions open Door --id door-12
                """)
        @OptionGroup var client: ClientOptions
        @Argument(
            help: "The scene configuration; optional when the workers offer exactly one and none are still starting.")
        var configuration: String?
        @Option(help: "The session's role.")
        var role = SceneSession.Role.windowApplication.rawValue
        @Option(help: "A URL to open in the new session.")
        var url: String?
        @Option(
            help: "The new session's name (default: the host makes one). It must not be in use.")
        var id: String?

        func validate() throws {
            if let url { try checkURL(url) }
            if let id, !SceneSession.isIdentifier(id) {
                throw ValidationError("'\(id)' is no name for a session; it has \(SceneSession.identifierRule)")
            }
        }

        func execute() async throws {
            try await client.withHost { host in
                let session = try await host.chain.hostOpenSession(
                    configuration: configuration, role: role, link: nil, session: id)
                StandardOutput.noteDone("session \(session.session) is open")
                if client.json { try printJSON(session) } else { printLine(session.session) }
                if let url {
                    try await open(url, in: session.session, host)
                } else if let problem = session.problem, !client.json {
                    StandardError.write("scenebus: the session has no scene yet: \(problem.printable)")
                }
            }
        }

        /// Opens a URL in a session as soon as it has a scene.
        ///
        /// This is a request of its own because a scene that gets the URL at its creation does not report a refusal.
        @MainActor
        private func open(_ url: String, in session: String, _ host: HostClient) async throws {
            let link = try CBORRaw(encoding: DeepLink.url(url))
            let end = MonotonicInstant.now + .seconds(client.timeout)
            while true {
                do {
                    _ = try await host.chain.hostOpen(link: link, session: session)
                    return
                } catch let error as RemoteError
                    where error.sceneCommandCode == .notConnected && MonotonicInstant.now < end
                {
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
        }
    }

    struct Show: LoopCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Shows one session.")
        @OptionGroup var client: ClientOptions
        @Argument(help: "The session.") var session: String
        @Flag(help: "Print the stored state from which its next scene would start.") var state = false

        func execute() async throws {
            if state {
                let state = try await client.withHost { try await $0.chain.hostSessionState(session: session) }
                return printJSON(try state?.decode(as: CBORValue.self) ?? .null)
            }
            let found = try await client.withHost { try await $0.chain.hostSession(session: session) }
            if client.json { return try printJSON(found) }
            printLine("session        \(found.session)")
            printLine("configuration  \(found.configuration)")
            printLine("role           \(found.role)")
            printLine("state          \(found.state.rawValue)")
            printLine("worker         \(found.worker.map { "\($0), process \(found.pid ?? 0)" } ?? "none")")
            printLine("token          \(found.token)")
            if let problem = found.problem { printLine("problem        \(problem)") }
        }
    }

    struct Close: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "close", abstract: "Closes a session permanently: ends its scene and deletes its state.")
        @OptionGroup var client: ClientOptions
        @Argument(help: "The session.") var session: String

        func execute() async throws {
            try await client.withHost { try await $0.chain.hostCloseSession(session: session) }
            if client.json { try printJSON(["closed": session]) }
        }
    }
}
