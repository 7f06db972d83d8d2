import OperatorKit
import ArgumentParser
import Bus
import Messaging

struct PluginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins", abstract: "Shows the plugins that the host runs.", subcommands: [List.self])

    struct List: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "Lists the processes of the plugins.",
            discussion: """
                STATE is one of:
                  starting   its process is not attached yet
                  attached   its process is attached
                  hung       its process runs but has lost its link; it is killed unless it reconnects in time
                  ending     its process is shutting down
                  waiting    its process has ended or could not be started; the host will start it again
                  failed     the host could not create the resources that its processes need
                  ended      the host is shutting down
                PROBLEM is the reason why it is not attached; 'scenebus logs PLUGIN' shows its output.
                """)
        @OptionGroup var client: ClientOptions

        func execute() async throws {
            let plugins = try await client.withHost { try await $0.chain.hostPlugins() }
            if client.json { return try printJSON(plugins) }
            guard !plugins.isEmpty else {
                return print("the host runs no plugins; start it with 'scenebus host --plugins FOLDER'")
            }
            var table = Table("PLUGIN", "VERSION", "STATE", "PID", "RESTARTS", "ADDS", "PROBLEM")
            for plugin in plugins {
                let adds = plugin.handles + plugin.provides.map { "." + $0 } + plugin.scenes.map { "scene " + $0 }
                table.add(
                    plugin.instance, plugin.version, plugin.state.rawValue, plugin.pid.map { "\($0)" } ?? "-",
                    "\(plugin.restarts)", adds.joined(separator: " "), plugin.problem ?? "")
            }
            table.print()
        }
    }
}
