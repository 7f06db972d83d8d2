package import ArgumentParser
package import Bus
import Foundation

/// The options of a host's process.
package struct HostOptions: ParsableArguments {
    @Option(help: "The host's name, which distinguishes the hosts of one user.", transform: { try BusName($0) })
    package var name = BusName.default

    @Option(
        help: ArgumentHelp(
            "A folder of plugins, each of which is a folder with a plugin.json; or that of one plugin. May be given several times.",
            valueName: "folder"))
    package var plugins: [String] = []

    @Option(
        help: ArgumentHelp(
            "Replace a value of a plugin's configuration; plugin.key@FILE reads it from a file, as secrets must be.",
            valueName: "plugin.key=value"))
    package var configure: [String] = []

    @Option(
        help: ArgumentHelp(
            "The file of the open sessions (default: in the folder scenebus in $XDG_STATE_HOME or ~/.local/state).",
            valueName: "file"))
    package var store: String?

    @Flag(help: "Keep the open sessions in memory only.")
    package var noStore = false

    @Option(
        help: ArgumentHelp(
            "Also listen on a TCP address, such as tcp://0.0.0.0:5570, for peers with keys. The host also uses the next port.",
            valueName: "address"))
    package var listen: [String] = []

    @Flag(help: "Let peers attach over TCP without keys: everybody who can reach the address may do everything.")
    package var insecure = false

    @Option(
        help: ArgumentHelp(
            "The maximum number of attached peers (default: as many as the limit of open files allows).",
            valueName: "number"))
    package var maximumLinks: Int?

    @Option(
        help: ArgumentHelp(
            "How long the host keeps the record of a @Once request, at least 120; also the longest timeout of such a request.",
            valueName: "seconds"))
    package var onceWindow = 600

    @Option(help: ArgumentHelp("Open a session of this configuration when none is open.", valueName: "configuration"))
    package var open: [String] = []

    @Flag(name: .shortAndLong, help: "Log more.")
    package var verbose = false

    package init() {}

    /// The label of the host's lines in a log, where those of its plugins and workers have their names.
    package var logLabel: String { "host '\(name)'" }

    package func validate() throws {
        let shortest = Int(HostConfiguration.shortestOnceWindow.components.seconds)
        guard (shortest...86_400).contains(onceWindow) else {
            throw ValidationError(
                "--once-window must be from \(shortest) to 86400 seconds, not \(onceWindow): a browser or a terminal sends an "
                    + "action again for \(shortest) s")
        }
        if let maximumLinks, maximumLinks < 1 {
            throw ValidationError("--maximum-links must be at least 1, not \(maximumLinks)")
        }
    }

    /// The host's configuration.
    /// - Parameter standardStore: Returns the store of a host of this name if no option names one.
    /// - Throws: ``HostError`` for a secret among the options; the error of `standardStore`.
    package func configuration(standardStore: (_ name: BusName) throws -> String) throws -> HostConfiguration {
        for text in configure { try ConfigurationOverride.refuseSecret(in: text) }
        var configuration = HostConfiguration(name)
        configuration.maximumLinks = maximumLinks
        configuration.onceWindow = .seconds(onceWindow)
        configuration.listen = listen
        configuration.isInsecure = insecure
        configuration.overrides = configure
        configuration.plugins = plugins.map { URL(fileURLWithPath: $0).path }
        configuration.store = try noStore ? nil : store ?? standardStore(name)
        configuration.openAtFirstStart = open
        return configuration
    }
}
