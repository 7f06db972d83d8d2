import OperatorKit
import ArgumentParser
import Foundation
import Logging
import SceneHost
import ServiceLifecycle
import UnixSignals

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
              scenebus host --listen tcp://127.0.0.1:5570
              scenebus host --listen tcp://0.0.0.0:5570 --insecure

            ENVIRONMENT:
              SCENEBUS_RUNTIME  the folder of the sockets, where peers find the host
                                (default: scenebus in $XDG_RUNTIME_DIR, else in
                                  /run/user/UID if this user owns it, else
                                  ~/.local/state/scenebus/run)
              XDG_STATE_HOME    the folder of the default store (default: ~/.local/state)
              SCENEBUS_LOG      the lowest level that plugins and workers log: trace,
                                debug, info, notice (default), warning, error or critical
            """)

    @Option(help: "The host's name, which distinguishes the hosts of one user.")
    var name = "default"

    @Option(help: ArgumentHelp("A folder of plugins; each plugin is a folder with a plugin.json.", valueName: "folder"))
    var plugins: String?

    @Option(
        help: ArgumentHelp(
            "Replace a value of a plugin's configuration; plugin.key@FILE reads it from a file, as secrets must be.",
            valueName: "plugin.key=value"))
    var configure: [String] = []

    @Option(
        help: ArgumentHelp(
            "The file of the open sessions (default: scenebus/NAME.sqlite in $XDG_STATE_HOME or ~/.local/state).",
            valueName: "file"))
    var store: String?

    @Flag(help: "Keep the open sessions in memory only.")
    var noStore = false

    @Option(
        help: ArgumentHelp(
            "Also listen on a TCP address, such as tcp://127.0.0.1:5570; the host also uses the next port.",
            valueName: "address"))
    var listen: [String] = []

    @Flag(help: "Allow connections from other machines, although TCP peers are not authenticated.")
    var insecure = false

    @Option(
        help: ArgumentHelp(
            "The maximum number of attached peers (default: as many as the limit of open files allows).",
            valueName: "number"))
    var maximumLinks: Int?

    @Option(
        help: ArgumentHelp(
            "How long the host keeps the record of a @Once request; also the longest timeout of such a request.",
            valueName: "seconds"))
    var onceWindow = 600

    @Option(help: ArgumentHelp("Open a session of this configuration when none is open.", valueName: "configuration"))
    var open: [String] = []

    @Flag(name: .shortAndLong, help: "Log more.")
    var verbose = false

    func validate() throws {
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || "-_.".contains($0) }) else {
            throw ValidationError("--name may contain only letters, digits, '-', '_' and '.'; '\(name)' is not valid")
        }
        guard (1...86_400).contains(onceWindow) else {
            throw ValidationError("--once-window must be from 1 to 86400 seconds, not \(onceWindow)")
        }
        if let maximumLinks, maximumLinks < 1 {
            throw ValidationError("--maximum-links must be at least 1, not \(maximumLinks)")
        }
    }

    func execute() async throws {
        var configuration = HostConfiguration(name: name)
        configuration.maximumLinks = maximumLinks
        configuration.onceWindow = .seconds(onceWindow)
        configuration.listen = listen
        configuration.isInsecure = insecure
        configuration.plugins = plugins.map { URL(fileURLWithPath: $0).path }
        for text in configure { try FieldArgument.refuseSecret(inOverride: text) }
        configuration.overrides = configure
        configuration.store = try noStore ? nil : store ?? StoreLocation.standard(of: name)
        configuration.openAtFirstStart = open
        var logger = Logger(label: "scenebus") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = verbose ? .debug : .notice
        let host = AppHost(configuration, logger: logger)
        host.onReady = { endpoints in
            print("host '\(name)' is ready: process \(ProcessInfo.processInfo.processIdentifier)")
            for endpoint in endpoints { print("  \(endpoint)") }
            fflush(nil)
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: host, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}
