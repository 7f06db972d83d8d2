import ArgumentParser
import Glibc
import ZeroMQ

/// Breaks a running application in every way there is, and checks what was promised of it. Each role is a process of its own.
@main
struct ScenebusChaos: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenebus-chaos",
        abstract: "Breaks a running application in every way there is, and checks what was promised of it.",
        subcommands: [
            RunCommand.self, HostRole.self, WorkerRole.self, LedgerRole.self, TickerRole.self, ClientRole.self,
            WardenRole.self, DeafRole.self, GluttonRole.self, GarbageRole.self,
        ], defaultSubcommand: RunCommand.self)

    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let command: any ParsableCommand
        do {
            // The roles are for the one who makes the faults: people want to know what that one can do.
            let arguments = Array(CommandLine.arguments.dropFirst())
            command = try parseAsRoot(["--help", "-h"].contains(arguments.first) ? ["run", "--help"] : arguments)
        } catch {
            let code = exitCode(for: error)
            if code == .success {
                print(fullMessage(for: error))
                Glibc.exit(0)
            }
            complain(fullMessage(for: error))
            Glibc.exit(ChaosExit.usage)
        }
        guard let command = command as? any LoopCommand else { help(command) }
        MainLoop.run {
            do {
                return try await command.execute()
            } catch {
                complain("scenebus-chaos: \(error)")
                return ChaosExit.failure
            }
        }
    }
}

extension ScenebusChaos {
    private static func help(_ command: any ParsableCommand) -> Never {
        var command = command
        do {
            try command.run()
            Glibc.exit(0)
        } catch {
            print(fullMessage(for: error))
            Glibc.exit(exitCode(for: error) == .success ? 0 : ChaosExit.usage)
        }
    }
}

/// Exit codes.
enum ChaosExit {
    static let failure: Int32 = 1
    static let usage: Int32 = 2
    static let refused: Int32 = 4
}

/// A command that does its work on the main loop.
protocol LoopCommand: ParsableCommand, Sendable {
    /// - Returns: the process's exit code.
    @MainActor func execute() async throws -> Int32
}

extension LoopCommand {
    func run() throws {}
}

func complain(_ text: String) {
    _ = (text + "\n").withCString { write(2, $0, strlen($0)) }
}
