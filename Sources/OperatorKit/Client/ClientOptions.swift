package import ArgumentParser
package import Bus
import Glibc
package import PeerLink

/// The options of every command that connects to a host.
package struct ClientOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            """
            The host: a context (see 'scenebus context'), or an address such as tcp://192.0.2.7:5570. Default: SCENEBUS_HOST, \
            unless --name is given; else the context in use; else the host on this machine.
            """, valueName: "host"))
    package var host: String?

    @Option(
        name: .customLong("name"), help: ArgumentHelp("The name of a host on this machine.", valueName: "name"),
        transform: { try BusName($0) })
    package var hostName: BusName?

    @Flag(help: "Connect over TCP without keys, to a host that was started with --insecure.")
    package var insecure = false

    @Option(help: "Seconds to wait for a reply, at most 3600.")
    package var timeout = 10.0

    @Flag(help: "Print JSON.")
    package var json = false

    package init() {}

    /// The options of a client that is no command.
    package init(host: String? = nil, name: BusName? = nil, timeout: Double = 10) {
        (self.host, self.hostName, self.timeout, self.json, self.insecure) = (host, name, timeout, false, false)
    }

    package func validate() throws {
        if let address, HostEndpoint.hasTransport(address), let problem = HostEndpoint.problem(of: address) {
            throw ValidationError((host == nil ? "SCENEBUS_HOST: " : "") + problem)
        }
        guard timeout > 0, timeout <= 3600 else {
            throw ValidationError("--timeout must be greater than 0 and at most 3600 seconds, not \(timeout)")
        }
    }

    /// The host from `--host` or the environment, an address or a context; `nil` for the context in use, or a host on this
    /// machine.
    package var address: String? {
        if let host { return host }
        guard hostName == nil, let address = getenv("SCENEBUS_HOST").map({ String(cString: $0) }), !address.isEmpty
        else { return nil }
        return address
    }

    /// The runtime folder of the host on this machine.
    package var directory: HostDirectory { HostDirectory(hostName ?? .default) }

    /// The host, for people.
    package var endpoint: String { address ?? directory.endpoint }

    /// Whether to connect over TCP without keys.
    private var isInsecure: Bool {
        insecure || HostReference.isInsecure(getenv("SCENEBUS_INSECURE").map { String(cString: $0) })
    }

    /// Finds out where the host is, and how to reach it.
    package func reference() throws -> HostReference {
        do throws(HostReferenceError) {
            if let address { return try HostReference(address, isInsecure: isInsecure) }
            if hostName == nil, let current = try HostReference.current() { return current }
            return HostReference(local: directory.endpoint)
        } catch {
            let source = host == nil && hostName == nil && error.exitCode == .usage ? "SCENEBUS_HOST: " : ""
            throw CommandError(error.exitCode, source + error.description)
        }
    }
}
