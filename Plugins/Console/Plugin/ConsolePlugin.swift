#if Console
    import ConsoleMessages
    import PluginKit

    @main
    struct ConsolePlugin {
        static func main() {
            Plugin.main(id: "console") { plugin in
                let settings = try ConsoleSettings(plugin.configuration)
                let console = Console(settings, plugin: plugin)
                plugin.respond(ConsoleResponder(console), to: ConsoleMessagesList.self)
                plugin.whileRunning { try await console.run() }
            }
        }
    }
#else
    import Glibc
    import PeerLink

    @main
    struct ConsolePlugin {
        static func main() {
            StandardError.write("console-plugin: built without the console; build with --traits default,Console")
            exit(1)
        }
    }
#endif
