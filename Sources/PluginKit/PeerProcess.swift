package import CBOR
import Glibc
import PeerLink
package import Logging
package import ServiceLifecycle
import UnixSignals
import ZeroMQ

/// What a plugin's or worker's process was started with: its arguments, and what the host that started it says.
package struct PeerProcess: Sendable {
    /// The host's address.
    package var endpoint: String
    /// The peer's name on the bus.
    package var peer: String
    /// Started by a host, whose end closes standard input.
    package var hasParent: Bool
    /// The manifest's configuration.
    package var configuration: [String: CBORValue]
    package var capacity: Int?
    package var logger: Logger

    /// A peer inside of another process: nothing is read from the arguments or the environment.
    package init(endpoint: String, peer: String, configuration: [String: CBORValue] = [:], logger: Logger) {
        self.endpoint = endpoint
        self.peer = peer
        self.configuration = configuration
        self.logger = logger
        hasParent = false
    }

    /// Reads the arguments and the environment of this process.
    /// - Throws: ``UsageError`` with what to do.
    package init(
        id: String, arguments: [String] = CommandLine.arguments,
        environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) throws {
        endpoint = environment("SCENEBUS_HOST") ?? HostDirectory().endpoint
        peer = environment("SCENEBUS_PEER") ?? "\(id)-\(getpid())"
        hasParent = environment("SCENEBUS_PARENT") == "stdin"
        configuration = [:]
        logger = Logger(label: id) { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = environment("SCENEBUS_LOG").flatMap(Logger.Level.init(rawValue:)) ?? .notice
        if let text = environment("SCENEBUS_CONFIGURATION") {
            guard let value = try? CBORValue(json: text), case .map = value,
                let configuration = try? value.decode(as: [String: CBORValue].self)
            else {
                // It may hold secrets, and what is written here goes to the log.
                throw UsageError("SCENEBUS_CONFIGURATION is not a JSON object (\(text.utf8.count) bytes)")
            }
            self.configuration = configuration
        }
        var rest = arguments.dropFirst()
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value") }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--host": endpoint = try value(of: argument)
            case "--name": peer = try value(of: argument)
            case "--capacity":
                let text = try value(of: argument)
                guard let number = Int(text), (1...10_000).contains(number) else {
                    throw UsageError("--capacity is a number from 1 to 10000, not '\(text)'")
                }
                capacity = number
            case "--help", "-h":
                throw UsageError("", isHelp: true)
            default:
                throw UsageError("'\(argument)' is not an option")
            }
        }
        if !endpoint.contains("://") {
            throw UsageError("'\(endpoint)' is not an address such as tcp://host:5570 or ipc:///run/scenebus/bus")
        }
    }

    /// What `--help` prints.
    package static func usage(_ name: String) -> String {
        """
        USAGE: \(name) [--host ADDRESS] [--name NAME] [--capacity N]

          --host ADDRESS   the host to attach to (default: the one that runs on this machine)
          --name NAME      this process's name on the bus (default: made from its process id)
          --capacity N     how many scenes a worker runs at a time, 1 to 10000 (default: the worker's own)

        Example: \(name) --host tcp://192.0.2.7:5570 --name lobby-1
        """
    }

    /// Runs a peer as the process's main job: the main loop, signals, exit code. Never returns.
    package static func main(id: String, make: @escaping @MainActor @Sendable (PeerProcess) throws -> any Service)
        -> Never
    {
        // The host reads what a process writes that it has started: one that outlives it for a moment still ends in order.
        signal(SIGPIPE, SIG_IGN)
        MainLoop.run {
            do {
                let process = try PeerProcess(id: id)
                let peer = try make(process)
                let group = ServiceGroup(
                    configuration: ServiceGroupConfiguration(
                        services: [.init(service: peer, successTerminationBehavior: .gracefullyShutdownGroup)],
                        gracefulShutdownSignals: [.sigterm, .sigint], logger: process.logger))
                try await group.run()
                return 0
            } catch let error as UsageError {
                let command = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? id
                if error.isHelp {
                    print(usage(command))
                    return 0
                }
                StandardError.write("\(id): \(error.message)\n\(usage(command))")
                return ProcessExitCode.usage.rawValue
            } catch {
                StandardError.write("\(id): \(error)")
                return ((error as? any ExitCoded)?.exitCode ?? .failure).rawValue
            }
        }
    }
}

/// Wrong arguments.
package struct UsageError: Error {
    package let message: String
    let isHelp: Bool

    init(_ message: String, isHelp: Bool = false) {
        self.message = message
        self.isHelp = isHelp
    }
}
