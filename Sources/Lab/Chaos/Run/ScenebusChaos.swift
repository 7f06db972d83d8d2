import ArgumentParser
import Glibc
import OperatorKit

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
        // The roles are for the one who makes the faults: people want to know what that one can do.
        let arguments = Array(CommandLine.arguments.dropFirst())
        runAsProcess(
            "scenebus-chaos",
            arguments: ["--help", "-h"].contains(arguments.first) ? ["run", "--help"] : arguments)
    }
}
