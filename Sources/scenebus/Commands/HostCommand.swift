import OperatorKit
import ArgumentParser
import Foundation
import PeerLink
import Logging
import SceneHost
import ServiceLifecycle
import UnixSignals

struct HostCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Runs an app host until Ctrl-C.",
        discussion: """
            The host holds the open sessions and the top of the responder chain, and runs the plugins of a folder.

            EXAMPLES:
              scenebus host --plugins Plugins
              scenebus host --plugins Plugins --open ControlRoom --open ControlRoom
              scenebus host --plugins Plugins --configure machine.alerts.cpu.warning=0.5
              scenebus host --plugins Plugins --configure mail.smtp.password@password.txt
              scenebus host --listen tcp://127.0.0.1:5570
              scenebus host --listen tcp://0.0.0.0:5570 --insecure

            ENVIRONMENT:
              SCENEBUS_RUNTIME  the folder of the sockets, where others find the host
                                (default: scenebus in $XDG_RUNTIME_DIR, else in
                                  /run/user/UID where that is this user's, else
                                  ~/.local/state/scenebus/run)
              XDG_STATE_HOME    the folder of the default store (default: ~/.local/state)
              SCENEBUS_LOG      the least that plugins and workers log: trace, debug,
                                info, notice (default), warning, error or critical
            """)

    @Option(help: "The host's name; tells the hosts of one user apart.")
    var name = "default"

    @Option(help: ArgumentHelp("A folder of plugins, each a folder with a plugin.json.", valueName: "folder"))
    var plugins: String?

    @Option(
        help: ArgumentHelp(
            "Replace a value of a plugin's configuration; plugin.key@FILE gives a file's text. A secret is refused as a value.",
            valueName: "plugin.key=value"))
    var configure: [String] = []

    @Option(
        help: ArgumentHelp(
            "The file that keeps the open sessions (default: scenebus/NAME.sqlite in $XDG_STATE_HOME, else in ~/.local/state).",
            valueName: "file"))
    var store: String?

    @Flag(help: "Keep the open sessions in memory only.")
    var noStore = false

    @Option(
        help: ArgumentHelp(
            "Listen on a TCP address besides, such as tcp://127.0.0.1:5570; it takes the next port too.",
            valueName: "address"))
    var listen: [String] = []

    @Flag(help: "Listen where other machines can connect, although nothing tells who they are.")
    var insecure = false

    @Option(
        help: ArgumentHelp(
            "Peers that may be attached at a time (default: as many as the limit of open files allows).",
            valueName: "number"))
    var maximumLinks: Int?

    @Option(
        help: ArgumentHelp(
            "How long the record of a request is kept that must not be handled twice; none may wait longer.",
            valueName: "seconds"))
    var onceWindow = 600

    @Option(help: ArgumentHelp("Open a session of this configuration when none is open.", valueName: "configuration"))
    var open: [String] = []

    @Flag(name: .shortAndLong, help: "Log more.")
    var verbose = false

    func validate() throws {
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || "-_.".contains($0) }) else {
            throw ValidationError("--name is made of letters, digits, '-', '_' and '.'; '\(name)' is not")
        }
        guard (1...86_400).contains(onceWindow) else {
            throw ValidationError("--once-window is a number of seconds from 1 to 86400, not \(onceWindow)")
        }
        if let maximumLinks, maximumLinks < 1 {
            throw ValidationError("--maximum-links is a number from 1 on, not \(maximumLinks)")
        }
    }

    func execute() async throws {
        var configuration = HostConfiguration(name: name)
        configuration.maximumLinks = maximumLinks
        configuration.onceWindow = .seconds(onceWindow)
        configuration.listen = listen
        configuration.isInsecure = insecure
        configuration.plugins = plugins.map { URL(fileURLWithPath: $0).path }
        for text in configure { try refuseSecret(in: text) }
        configuration.overrides = configure
        configuration.store = try noStore ? nil : store ?? defaultStore()
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

    /// Every user of the machine can read the arguments for as long as the host runs.
    private func refuseSecret(in text: String) throws {
        // What is not of the form is refused where it is applied.
        guard let field = try? FieldArgument(text), case .argument = field.source else { return }
        let key = field.name.split(separator: ".").last.map(String.init) ?? ""
        let inside = field.secretInside
        guard FieldArgument.isSecret(key) || inside != nil else { return }
        let name = inside.map { "\(field.name).\($0)" } ?? field.name
        throw CommandError(.usage,
            """
            '\(inside ?? key)' is a secret, and every user of this machine can read a command's arguments: write it in plugin.json, \
            or as \(name)@FILE
            if it was a real one, choose another: it may also stand in the shell's history
            """)
    }

    private func defaultStore() throws -> String {
        let environment = ProcessInfo.processInfo.environment
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let state = state ?? UserAccount.home(environment: { environment[$0] }).map({ $0 + "/.local/state" })
        else {
            throw CommandError(.usage,
                "no folder is known for the store, for there is no home folder: set HOME or XDG_STATE_HOME, name a file with --store, or say --no-store"
            )
        }
        let folder = "\(state)/scenebus"
        do {
            try PrivateFolder.make(folder)
        } catch {
            throw CommandError(
                error.code == .unsafe ? .refused : .failure,
                "the folder of the store: \(error); mend that, name a file with --store, or say --no-store")
        }
        return "\(folder)/\(name).sqlite"
    }
}
