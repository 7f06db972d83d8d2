import UnixSignals
import Glibc
public import Logging
import PeerLink
import ServiceLifecycle
import ZeroMQ

extension AppHost {
    /// Runs a host of one's own as the process's main job, with the main loop, signal handling and the exit code. Never
    /// returns.
    ///
    ///     @main struct WallHost {
    ///         static func main() {
    ///             AppHost.main { logger in
    ///                 AppHost(HostConfiguration(), delegate: WallDelegate(), handles: [WallMessagesList.self], logger: logger)
    ///             }
    ///         }
    ///     }
    ///
    /// The host logs to the standard error, at or above the level in SCENEBUS_LOG (default: notice). SIGTERM and SIGINT
    /// shut it down in order. The exit code is 0 then, 2 if an address or a value of the configuration cannot be used,
    /// and 1 for any other failure.
    /// - Parameter make: makes the host.
    public nonisolated static func main(_ make: @escaping @MainActor @Sendable (Logger) throws -> AppHost) -> Never {
        let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "host"
        signal(SIGPIPE, SIG_IGN)
        MainLoop.run {
            var logger = Logger(label: name) { StreamLogHandler.standardError(label: $0) }
            logger.logLevel =
                getenv("SCENEBUS_LOG").flatMap { Logger.Level(rawValue: String(cString: $0)) } ?? .notice
            do {
                let host = try make(logger)
                if host.onReady == nil {
                    host.onReady = { endpoints in
                        print("host '\(host.configuration.name)' is ready: process \(getpid())")
                        for endpoint in endpoints { print("  \(endpoint)") }
                        fflush(nil)
                    }
                }
                let group = ServiceGroup(
                    configuration: ServiceGroupConfiguration(
                        services: [.init(service: host, successTerminationBehavior: .gracefullyShutdownGroup)],
                        gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
                try await group.run()
                return 0
            } catch {
                StandardError.write("\(name): \(error)")
                return ((error as? any ExitCoded)?.exitCode ?? .failure).rawValue
            }
        }
    }
}
