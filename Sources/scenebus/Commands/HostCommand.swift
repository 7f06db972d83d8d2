import OperatorKit
import ArgumentParser
import Logging
import PeerLink
import SceneHost

struct HostCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Runs an app host until Ctrl-C.",
        discussion: """
            The host keeps the open sessions, is the top of the responder chain, and runs the plugins in a folder.

            EXAMPLES:
              scenebus host --plugins Plugins
              scenebus host --plugins Plugins --open ControlRoom --open ControlRoom
              scenebus host --plugins Plugins --configure machine.alerts.cpu.warning=0.5
              scenebus host --plugins Plugins --configure mail.smtp.password@password.txt
              scenebus host --listen tcp://0.0.0.0:5570

            ENVIRONMENT:
              SCENEBUS_RUNTIME  the folder of the sockets, where peers find the host
                                (default: scenebus in $XDG_RUNTIME_DIR, else in
                                  /run/user/UID if this user owns it, else
                                  ~/.local/state/scenebus/run)
              SCENEBUS_KEYS     the folder of the host's key and of the keys that it allows
                                (default: scenebus in $XDG_CONFIG_HOME or ~/.config)
              XDG_STATE_HOME    the folder of the default store (default: ~/.local/state)
              SCENEBUS_LOG      the lowest level that plugins and workers log: trace,
                                debug, info, notice (default), warning, error or critical
            """)

    @OptionGroup var options: HostOptions

    func execute() async throws {
        let configuration = try options.configuration { try StoreLocation.standard(of: $0) }
        var logger = Logger(label: options.logLabel) {
            StreamLogHandler(label: $0, stream: StandardError.Stream(label: $0))
        }
        StandardError.name(options.logLabel)
        logger.logLevel = options.verbose ? .debug : .notice
        try await AppHost(configuration, logger: logger).runAsProcess()
    }
}
