import ArgumentParser
import Glibc
import OperatorKit

/// Injects faults into a running application, and checks its guarantees. Each role runs in its own process.
@main
struct ScenebusChaos: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenebus-chaos",
        abstract: "Injects faults into a running application, and checks its guarantees.",
        subcommands: [
            RunCommand.self, HostRole.self, WorkerRole.self, LedgerRole.self, TickerRole.self, ClientRole.self,
            WardenRole.self, MuleRole.self, DeafRole.self, GluttonRole.self, GarbageRole.self, GreedyRole.self,
            RotateRole.self, SilentRole.self, VisitorRole.self,
        ], defaultSubcommand: RunCommand.self)

    static func main() {
        signal(SIGPIPE, SIG_IGN)
        // Show the help of the run command, because the roles are only for processes that it starts.
        let arguments = Array(CommandLine.arguments.dropFirst())
        runAsProcess(
            "scenebus-chaos",
            arguments: ["--help", "-h"].contains(arguments.first) ? ["run", "--help"] : arguments)
    }
}
