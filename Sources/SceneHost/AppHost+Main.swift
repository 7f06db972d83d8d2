import ArgumentParser
import Bus
import Glibc
import Logging
import Messaging
import PeerLink
import ServiceLifecycle
import UnixSignals
import ZeroMQ

extension AppHost {
    /// Runs a host of one's own as the process's main job, with its options, the main loop, signal handling and the exit
    /// code. Never returns.
    ///
    ///     @main struct WallHost {
    ///         static func main() {
    ///             AppHost.main(id: "wall") { process in
    ///                 AppHost(
    ///                     process.configuration, delegate: WallDelegate(), handles: [WallMessagesList.self],
    ///                     logger: process.logger)
    ///             }
    ///         }
    ///     }
    ///
    /// The process has the options of `scenebus host`. SIGTERM, SIGINT, SIGQUIT and SIGHUP (unless
    /// `nohup` has it ignored) shut the host down in order. The exit code is 0 then, 2 if an option or a value of the
    /// configuration cannot be used, 4 if the host refuses to start because that would be unsafe, and 1 for any other
    /// failure.
    /// - Parameters:
    ///   - id: the application's name in errors and in the path of its store, such as `wall`. The rule for a host's name
    ///     also applies to it.
    ///   - make: makes the host.
    public nonisolated static func main(
        id: String, _ make: @escaping @MainActor @Sendable (HostProcess) throws -> AppHost
    ) -> Never {
        signal(SIGPIPE, SIG_IGN)
        StandardOutput.bufferLines()
        let options: HostOptions
        do {
            options = try HostArguments.parse(Array(ProcessArguments.all.dropFirst())).options
        } catch {
            let message = HostArguments.fullMessage(for: error)
            if HostArguments.exitCode(for: error) == .success {
                StandardOutput.write(message)
                StandardOutput.flush()
                exit(0)
            }
            StandardError.write(message)
            exit(ProcessExitCode.usage.rawValue)
        }
        MainLoop.run {
            do {
                var logger = Logger(label: options.logLabel) {
                    StreamLogHandler(label: $0, stream: StandardError.Stream(label: $0))
                }
                StandardError.name(options.logLabel)
                logger.logLevel =
                    getenv("SCENEBUS_LOG").flatMap { Logger.Level(rawValue: String(cString: $0)) } ?? .notice
                if options.verbose { logger.logLevel = .debug }
                let program = try BusName(id)
                let configuration = try options.configuration {
                    try StoreLocation.standard(of: $0, program: program)
                }
                try await make(HostProcess(configuration: configuration, logger: logger)).runAsProcess()
                return 0
            } catch {
                StandardError.write("\(id): \(error)")
                return ((error as? any ExitCoded)?.exitCode ?? .failure).rawValue
            }
        }
    }

    /// Runs the host until SIGTERM, SIGINT, SIGQUIT or SIGHUP, and prints its addresses when it is ready.
    package func runAsProcess() async throws {
        if onReady == nil {
            onReady = { [configuration] endpoints in
                StandardOutput.announce("host '\(configuration.name)' is ready: process \(getpid())")
                for endpoint in endpoints { StandardOutput.announce("  \(endpoint)") }
            }
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: EndingSignals.all, logger: logger))
        try await group.run()
    }
}

/// The arguments of the process of a host of one's own.
private struct HostArguments: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: ProcessArguments.all.first?.split(separator: "/").last.map(String.init) ?? "host",
        abstract: "Runs this application's host until Ctrl-C.")

    @OptionGroup var options: HostOptions
}
