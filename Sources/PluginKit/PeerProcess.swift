package import Bus
package import CBOR
import Glibc
import Messaging
package import PeerLink
package import Logging
package import ServiceLifecycle
import UnixSignals
import ZeroMQ

/// The start parameters of a plugin's or worker's process, from its arguments and its environment.
package struct PeerProcess: Sendable {
    /// Where the host is, and how to reach it.
    package var host: HostReference
    /// The host's address.
    package var endpoint: String { host.endpoint }
    /// The peer's name on the bus.
    package var peer: BusName
    /// Whether a host started this process and holds the write end of its standard input.
    package var hasParent: Bool
    /// The manifest's configuration.
    package var configuration: [String: CBORValue]
    package var capacity: Int?
    package var logger: Logger

    /// Creates the parameters of a peer inside another process, without reading arguments or the environment.
    package init(endpoint: String, peer: BusName, configuration: [String: CBORValue] = [:], logger: Logger) {
        host = HostReference(withoutKeys: endpoint)
        self.peer = peer
        self.configuration = configuration
        self.logger = logger
        hasParent = false
    }

    /// Reads the arguments and the environment of this process.
    /// - Throws: ``UsageError`` for invalid arguments or an invalid configuration.
    package init(
        id: String, arguments: [String] = ProcessArguments.all,
        environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) throws {
        var named = environment("SCENEBUS_HOST")
        var source = named == nil ? "" : "SCENEBUS_HOST: "
        var isInsecure = HostReference.isInsecure(environment("SCENEBUS_INSECURE"))
        let own = try Self.name(id, "its id")
        var name = try environment("SCENEBUS_PEER").map { try Self.name($0, "SCENEBUS_PEER") }
        hasParent = environment("SCENEBUS_PARENT") == "stdin"
        configuration = [:]
        if let text = environment("SCENEBUS_CONFIGURATION") {
            guard let value = try? CBORValue(json: text), case .map = value,
                let configuration = try? value.decode(as: [String: CBORValue].self)
            else {
                // Do not quote the text: it may contain secrets, and error messages go to the log.
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
            case "--host":
                named = try value(of: argument)
                source = ""
            case "--insecure": isInsecure = true
            case "--name":
                name = try Self.name(value(of: argument), argument)
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
        if let named, HostEndpoint.hasTransport(named), let problem = HostEndpoint.problem(of: named) {
            throw UsageError(source + problem)
        }
        let current = hasParent || named != nil ? nil : try HostReference.current(environment: environment)
        let host =
            try named.map { try HostReference($0, isInsecure: isInsecure, environment: environment) } ?? current
            ?? HostReference(local: HostDirectory().endpoint)
        self.host = host
        peer = try name ?? .unique(host.peerName(own.text), pid: getpid())
        logger = Self.logger(peer, environment)
    }

    /// The logger of a process. Its label is the peer's name, because the output of several processes of one plugin goes
    /// to the same place.
    private static func logger(_ peer: BusName, _ environment: (String) -> String?) -> Logger {
        var logger = Logger(label: peer.text) { StreamLogHandler(label: $0, stream: StandardError.Stream(label: $0)) }
        logger.logLevel = environment("SCENEBUS_LOG").flatMap(Logger.Level.init(rawValue:)) ?? .notice
        return logger
    }

    private static func name(_ text: String, _ source: String) throws -> BusName {
        do throws(BusName.Invalid) {
            return try BusName(text)
        } catch {
            throw UsageError("\(source): \(error)")
        }
    }

    /// The text that `--help` prints.
    package static func usage(_ name: String) -> String {
        """
        USAGE: \(name) [--host HOST] [--name NAME] [--capacity N] [--insecure]

          --host HOST      the host to attach to: a context, or an address (default: the
                           context in use, or the host that runs on this machine)
          --name NAME      this process's name on the bus (default: made from its id and process id)
          --capacity N     how many scenes a worker runs at a time, 1 to 10000 (default: the worker's own)
          --insecure       attach over TCP without keys, to a host that was started with
                           --insecure

        Example: \(name) --host wall
        """
    }

    /// Runs a peer as the process's main job, with the main loop, signal handling and the exit code. Never returns.
    package static func main(id: String, make: @escaping @MainActor @Sendable (PeerProcess) throws -> any Service)
        -> Never
    {
        // Standard output and error are pipes to the host. Ignore SIGPIPE, so that a process that briefly outlives the
        // host still shuts down in order.
        signal(SIGPIPE, SIG_IGN)
        StandardOutput.bufferLines()
        MainLoop.run {
            do {
                let process = try PeerProcess(id: id)
                let peer = try make(process)
                let group = ServiceGroup(
                    configuration: ServiceGroupConfiguration(
                        services: [.init(service: peer, successTerminationBehavior: .gracefullyShutdownGroup)],
                        gracefulShutdownSignals: EndingSignals.all, logger: process.logger))
                try await group.run()
                return 0
            } catch let error as UsageError {
                let command = ProcessArguments.all.first?.split(separator: "/").last.map(String.init) ?? id
                if error.isHelp {
                    StandardOutput.write(usage(command))
                    StandardOutput.flush()
                    return 0
                }
                StandardError.write("\(id): \(error.message)\n\(usage(command))")
                return ProcessExitCode.usage.rawValue
            } catch {
                // The error may quote the host, or a peer that has failed.
                StandardError.write("\(id): \(String(foreign: error))")
                return ((error as? any ExitCoded)?.exitCode ?? .failure).rawValue
            }
        }
    }
}

/// The error of invalid arguments. With `isHelp` it asks for the usage text only.
package struct UsageError: Error {
    package let message: String
    let isHelp: Bool

    init(_ message: String, isHelp: Bool = false) {
        self.message = message
        self.isHelp = isHelp
    }
}
