package import ArgumentParser
package import Bus
import Glibc
package import PeerLink

/// The options of every command that connects to a host.
package struct ClientOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            """
            The host's address, such as tcp://192.0.2.7:5570. Default: SCENEBUS_HOST, unless --name is given; else \
            the host on this machine.
            """, valueName: "address"))
    package var host: String?

    @Option(
        name: .customLong("name"), help: ArgumentHelp("The name of a host on this machine.", valueName: "name"),
        transform: { try BusName($0) })
    package var hostName: BusName?

    @Option(help: "Seconds to wait for a reply, at most 3600.")
    package var timeout = 10.0

    @Flag(help: "Print JSON.")
    package var json = false

    package init() {}

    /// The options of a client that is no command.
    init(host: String?, name: BusName?, timeout: Double) {
        (self.host, self.hostName, self.timeout, self.json) = (host, name, timeout, false)
    }

    package func validate() throws {
        if let address, let problem = HostEndpoint.problem(of: address) {
            throw ValidationError((host == nil ? "SCENEBUS_HOST: " : "") + problem)
        }
        guard timeout > 0, timeout <= 3600 else {
            throw ValidationError("--timeout must be greater than 0 and at most 3600 seconds, not \(timeout)")
        }
    }

    /// The address from `--host` or the environment; `nil` for a host on this machine.
    package var address: String? {
        if let host { return host }
        guard hostName == nil, let address = getenv("SCENEBUS_HOST").map({ String(cString: $0) }), !address.isEmpty
        else { return nil }
        return address
    }

    /// The runtime folder of the host on this machine.
    package var directory: HostDirectory { HostDirectory(hostName ?? .default) }

    package var endpoint: String { address ?? directory.endpoint }
}
