import ArgumentParser
import Glibc
import ZeroMQ

@main
struct Scenebus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenebus",
        abstract: "Runs, watches and operates applications whose scenes are processes of their own.",
        discussion: """
            EXAMPLES:
              scenebus host --plugins Plugins      start a host with its plugins
              scenebus status                      what runs
              scenebus sessions open ControlRoom   open a session
              scenebus scene show k3m9xw2p         what its scene shows
              scenebus monitor 'account*'          watch messages go by

            Every command but 'host' and 'bench' finds the host of this machine by itself, or takes --host ADDRESS, else the
            address in SCENEBUS_HOST.
            Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no host reached, 4 refused.
            3 also stands for no answer in time, or a process that was lost: it may have been done all the same.
            """,
        version: "1.0.0",
        subcommands: [
            HostCommand.self, StatusCommand.self, SessionsCommand.self, SceneCommand.self, WorkerCommand.self,
            OpenURLCommand.self, NotifyCommand.self, RequestCommand.self, DependenciesCommand.self, PluginsCommand.self,
            LogsCommand.self, MonitorCommand.self, WaitCommand.self, DoctorCommand.self, BenchCommand.self,
        ])

    static func main() {
        // A reader that goes away, such as `head`, ends the command in silence instead of by a signal's message.
        signal(SIGPIPE, SIG_DFL)
        let command: any ParsableCommand
        do {
            command = try parseAsRoot()
        } catch {
            let code = exitCode(for: error)
            if code == .success {
                print(fullMessage(for: error))
                Glibc.exit(0)
            }
            CommandError.write(fullMessage(for: error))
            Glibc.exit(CommandError.usage)
        }
        guard let command = command as? any LoopCommand else { help(command) }
        MainLoop.run { await CommandError.exitCode { try await command.execute() } }
    }
}

extension Scenebus {
    /// Runs a command that only prints: help, or a group without its subcommand.
    private static func help(_ command: any ParsableCommand) -> Never {
        var command = command
        do {
            try command.run()
            Glibc.exit(0)
        } catch {
            let isHelp = exitCode(for: error) == .success
            if isHelp { print(fullMessage(for: error)) } else { CommandError.write(fullMessage(for: error)) }
            Glibc.exit(isHelp ? 0 : CommandError.usage)
        }
    }
}

/// A command that does its work on the main loop.
protocol LoopCommand: ParsableCommand, Sendable {
    @MainActor func execute() async throws
}

extension LoopCommand {
    func run() throws {}
}
