import Messaging
import MachineMessages
import PluginKit

@main
struct MachinePlugin {
    static func main() {
        Plugin.main(
            id: "machine",
            provides: [
                "machineIdentity", "cpu", "memory", "load", "disks", "networks", "processes", "alerts",
            ]
        ) { plugin in
            let settings = try MachineSettings(plugin.configuration)
            let responder = MachineResponder(settings)
            plugin.respond(responder, to: AlertMessagesList.self)
            plugin.whileRunning { try await responder.run() }
        }
    }
}
