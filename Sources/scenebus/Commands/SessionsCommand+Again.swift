import ArgumentParser
import Bus
import OperatorKit
import PeerLink

/// Sessions whose scenes cannot be made, or that crash their workers.
extension SessionsCommand {
    struct Retry: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Gives a session that waits to a worker again, now.",
            discussion: """
                The host holds a session when two workers have crashed while they made its scene, or while the scene \
                was asked for something: the scene may be the cause, and would crash the next worker, too. If the \
                second worker was doing something with another scene at the same time, it takes a third one. The \
                session's state is "waiting", and PROBLEM says "crashed 2 workers". When the cause is removed, this \
                command lets a worker try again. It also ends the pause after another failure. If the scene does not \
                run then, the command says why on standard error and ends with 1.

                EXAMPLES:
                  scenebus sessions retry k3m9xw2p
                  scenebus sessions ls --json | jq -r '.[] | select(.state == "waiting").session' | xargs -n1 scenebus sessions retry
                """)
        @OptionGroup var client: ClientOptions
        @Argument(help: "The session.") var session: String

        func execute() async throws {
            let (before, status) = try await client.withHost { host in
                let before = try? await host.chain.hostSession(session: session)
                return (before, try await host.chain.hostRetrySession(session: session))
            }
            // The same token is the same scene.
            if !client.json, status.state == .running, before?.state == .running, before?.token == status.token {
                return printLine("\(session) runs already, on \(status.worker ?? "a worker")")
            }
            try SessionsCommand.report(status, "\(session) is tried again", client)
        }
    }

    struct Reset: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset", abstract: "Starts a session's scene again, without its stored state.",
            discussion: """
                Ends the scene if it runs, deletes the state that the session would start from, and gives the session to \
                a worker, as if it were new: for a state that crashes or confuses its scene. The session keeps its \
                name, role and configuration. The state cannot be brought back; 'scenebus sessions show --state' \
                prints it. If the scene does not run then, the command says why on standard error and ends with 1.

                EXAMPLES:
                  scenebus sessions show k3m9xw2p --state > k3m9xw2p.json
                  scenebus sessions reset k3m9xw2p
                """)
        @OptionGroup var client: ClientOptions
        @Argument(help: "The session.") var session: String

        func execute() async throws {
            let status = try await client.withHost { try await $0.chain.hostResetSession(session: session) }
            try SessionsCommand.report(status, "\(session) has no stored state any more", client)
        }
    }

    /// Prints what was done, and where the scene runs now.
    /// - Throws: ``CommandError`` when it does not run.
    private static func report(_ status: SessionStatus, _ done: String, _ client: ClientOptions) throws {
        if client.json {
            try printJSON(status)
        } else if status.state == .running {
            printLine("\(done), and runs on \(status.worker ?? "a worker")")
        } else {
            printLine(done)
        }
        guard status.state != .running else { return }
        throw CommandError(
            .failure, "session \(status.session) has no scene: \(status.problem ?? status.state.rawValue)")
    }
}
