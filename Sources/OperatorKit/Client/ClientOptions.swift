package import ArgumentParser
import Glibc
package import PeerLink

/// The options that every command has which talks to a host.
package struct ClientOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            """
            The host's address, such as tcp://192.0.2.7:5570 (default: SCENEBUS_HOST, unless --name is given; else the host of \
            this machine).
            """, valueName: "address"))
    package var host: String?

    @Option(name: .customLong("name"), help: ArgumentHelp("The host of this machine of that name.", valueName: "name"))
    package var hostName: String?

    @Option(help: "Seconds to wait for an answer, at most 3600.")
    package var timeout = 10.0

    @Flag(help: "Print JSON.")
    package var json = false

    package init() {}

    package func validate() throws {
        if let address, !address.contains("://") {
            let source = host == nil ? " (SCENEBUS_HOST)" : ""
            throw ValidationError("'\(address)'\(source) is not an address; write it as tcp://192.0.2.7:5570")
        }
        guard timeout > 0, timeout <= 3600 else {
            throw ValidationError("--timeout is a number of seconds greater than 0, at most 3600, not \(timeout)")
        }
    }

    /// The address that was asked for; `nil` for a host of this machine.
    package var address: String? {
        if let host { return host }
        guard hostName == nil, let address = getenv("SCENEBUS_HOST").map({ String(cString: $0) }), !address.isEmpty
        else { return nil }
        return address
    }

    /// Where a host of this machine is found.
    package var directory: HostDirectory { HostDirectory(name: hostName ?? "default") }

    package var endpoint: String { address ?? directory.endpoint }
}
