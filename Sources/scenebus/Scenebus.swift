import ArgumentParser
import Bus
import Glibc
import OperatorKit

@main
struct Scenebus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenebus",
        abstract: "Runs, monitors and operates applications whose scenes run in separate processes.",
        discussion: """
            EXAMPLES:
              scenebus host --plugins Plugins      start a host with its plugins
              scenebus status                      show the host's state
              scenebus sessions open ControlRoom   open a session
              scenebus scene show k3m9xw2p         show its scene's content
              scenebus monitor 'account*'          watch messages

            Every command except 'host', 'key', 'invite', 'context', 'new' and 'bench' connects to a host: the one that --host
            names, else the one that SCENEBUS_HOST names, else the one of the context in use, else the one on this machine.
            Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no host reached, 4 refused.
            3 also means that no reply came in time or that a process was lost; the command may still have taken effect.
            """,
        version: SceneBusVersion.current,
        subcommands: [
            HostCommand.self, StatusCommand.self, SessionsCommand.self, SceneCommand.self, WorkerCommand.self,
            OpenURLCommand.self, NotifyCommand.self, RequestCommand.self, DependenciesCommand.self, PluginsCommand.self,
            KeyCommand.self, InviteCommand.self, JoinCommand.self, ContextCommand.self, AuditCommand.self,
            LogsCommand.self,
            MonitorCommand.self, WaitCommand.self, DoctorCommand.self, BenchCommand.self,
            NewCommand.self,
        ])

    static func main() {
        // The default action ends the command silently when a reader such as `head` closes the pipe.
        signal(SIGPIPE, SIG_DFL)
        runAsProcess("scenebus")
    }
}
