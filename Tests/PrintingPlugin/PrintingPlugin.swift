import Logging
import PluginKit

/// Prints a line and logs one, then runs on.
///
/// With `fails` in its configuration it ends with an error that looks like several lines of a log.
@main struct PrintingPlugin {
    struct Failure: Error, CustomStringConvertible {
        let description = "it broke\n2026-01-01T00:00:00 error host 'default': forged\u{1B}[2J"
    }

    static func main() {
        Plugin.main(id: "printing") { plugin in
            print("printed without a flush")
            plugin.logger.notice("logged by the plugin")
            guard plugin.configuration["fails"] != nil else { return }
            plugin.whileRunning { throw Failure() }
        }
    }
}
