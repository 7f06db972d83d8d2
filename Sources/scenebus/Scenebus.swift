import ArgumentParser
import Glibc
import OperatorKit

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
        runAsProcess("scenebus")
    }
}
