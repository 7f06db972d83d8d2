import OperatorKit
import ArgumentParser
import Bus
import CClockJump
import CoordinatorKit
import Foundation
import PeerLink
import Logging
import PluginKit
import SceneHost
import SceneWorker
import ServiceLifecycle
import UnixSignals
import ZeroMQ

/// The options of every role, set by the process that starts it.
struct RoleOptions: ParsableArguments, Sendable {
    @Option(help: "The name of this process's place.") var name: String
    @Option(help: "The folder for the records.") var log: String

    func makeLog() throws -> ChaosLog { try ChaosLog(folder: log, process: name) }

    func makeLogger() -> Logger {
        var logger = Logger(label: name) { StreamLogHandler(label: $0, stream: StandardError.Stream(label: $0)) }
        logger.logLevel = .info
        return logger
    }

    /// Runs a service until SIGTERM.
    @MainActor
    func run(_ service: any Service) async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: EndingSignals.all, logger: makeLogger()))
        try await group.run()
    }

    func peer(_ host: String) throws -> PeerProcess {
        var process = try PeerProcess(endpoint: host, peer: BusName(name), logger: makeLogger())
        process.host = try ChaosKeys.reference(host, as: name)
        return process
    }
}

struct HostRole: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "host", shouldDisplay: false)
    @OptionGroup var role: RoleOptions
    @Option var folder: String
    @Option var store: String
    @Option var listen: String
    @Option(help: "The folder of the host's plugins.") var plugins: String?
    @Option(help: "The file with the shift of the host's time of day.") var clock: String?

    func execute() async throws {
        try Self.limitDescriptors()
        if let clock, clock_jump_follow(clock) != 0 {
            throw ChaosError("cannot follow \(clock): \(String(cString: strerror(errno)))")
        }
        var configuration = try HostConfiguration(name: "chaos")
        configuration.directory = HostDirectory(folder: folder)
        configuration.store = store
        configuration.listen = [listen]
        let keys = ChaosKeys()
        configuration.isInsecure = keys == nil
        configuration.keys = try keys?.hostFolder.path
        configuration.plugins = plugins.map { [$0] } ?? []
        try await role.run(AppHost(configuration, logger: role.makeLogger()))
    }
}

extension HostRole {
    /// The descriptors that the host may have open: enough for the application, and few enough for one peer to use up.
    static let descriptors: rlim_t = 512

    private static func limitDescriptors() throws {
        var limit = rlimit(rlim_cur: descriptors, rlim_max: descriptors)
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            throw ChaosError("cannot limit the host's descriptors: \(String(cString: strerror(errno)))")
        }
    }
}

struct WorkerRole: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "worker", shouldDisplay: false)
    @OptionGroup var role: RoleOptions
    @Option var host: String
    @Option var capacity: Int

    func execute() async throws {
        let log = try role.makeLog()
        ChaosSceneDelegate.log = log
        let worker = try SceneWorker(
            role.peer(host), version: "1.0.0", capacity: capacity,
            scenes: [SceneConfiguration(name: "Chaos", delegateClass: ChaosSceneDelegate.self)],
            delegate: ChaosWorkerDelegate(log), context: SocketContext())
        try await role.run(worker)
    }
}

struct LedgerRole: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "ledger", shouldDisplay: false)
    @OptionGroup var role: RoleOptions
    @Option var host: String

    func execute() async throws {
        let ledger = Ledger(try role.makeLog())
        let plugin = try Plugin(
            role.peer(host), id: "ledger", version: "1.0.0", provides: [WatchedEntry.chaosLedger.rawValue],
            context: SocketContext())
        plugin.respond(ledger, to: ChaosMessagesList.self)
        ledger.publish()
        try await role.run(plugin)
    }
}

struct TickerRole: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "ticker", shouldDisplay: false)
    @OptionGroup var role: RoleOptions
    @Option var host: String

    func execute() async throws {
        let ticker = Ticker(try role.makeLog())
        let plugin = try Plugin(
            role.peer(host), id: "ticker", version: "1.0.0",
            provides: [WatchedEntry.chaosTick.rawValue, WatchedEntry.chaosLarge.rawValue, "chaosIsQuiet"],
            context: SocketContext())
        plugin.respond(ticker, to: ChaosControlMessagesList.self)
        plugin.whileRunning { try await ticker.run() }
        try await role.run(plugin)
    }
}

/// The plugin that the host's supervisor runs.
struct WardenRole: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "warden", shouldDisplay: false)
    @OptionGroup var role: RoleOptions
    @Option var host: String

    func execute() async throws {
        var process = try role.peer(host)
        process.hasParent = true
        let plugin = Plugin(process, id: "warden", version: "1.0.0", provides: [], context: SocketContext())
        try await role.run(plugin)
    }
}

struct ClientRole: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "client", shouldDisplay: false)
    @OptionGroup var role: RoleOptions
    @Option var host: String
    @Option(help: "A session whose scene it watches.") var watch: [String] = []

    func execute() async throws {
        let reference = try ChaosKeys.reference(host, as: role.name)
        try await role.run(ChaosTraffic(ChaosClient(reference, log: try role.makeLog()), watched: watch))
    }
}

/// The program of the plugin that ignores everything: the signals, and the end of its input.
struct MuleRole: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "mule", shouldDisplay: false)
    @OptionGroup var role: RoleOptions
    @Option var host: String

    func execute() async throws {
        for signal in [SIGTERM, SIGINT, SIGHUP] { Glibc.signal(signal, SIG_IGN) }
        let plugin = try Plugin(role.peer(host), id: "mule", version: "1.0.0", provides: [], context: SocketContext())
        // Without a service group, which would handle the signals.
        try await plugin.run()
    }
}
