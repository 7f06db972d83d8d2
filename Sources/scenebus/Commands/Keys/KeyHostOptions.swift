import Access
import ArgumentParser
import Bus
import Foundation
import OperatorKit
import PeerLink
import SceneHost

/// The host of this machine whose keys are meant.
struct LocalKeyHostOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The name of the host on this machine.", valueName: "name"), transform: { try BusName($0) })
    var hostName = BusName.default
}

/// The host whose list of keys is meant: one of this machine, or one of another machine for an administrator.
struct KeyHostOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The host: a context whose key has the role 'administrator', or an address. Default: SCENEBUS_HOST, unless \
            --host-name is given; else the context in use; else the host on this machine.
            """, valueName: "host"))
    var host: String?

    @Option(
        help: ArgumentHelp("The name of a host on this machine, which need not run.", valueName: "name"),
        transform: { try BusName($0) })
    var hostName: BusName?

    @Option(help: "Seconds to wait for a reply, at most 3600.") var timeout = 10.0

    func validate() throws {
        guard host == nil || hostName == nil else {
            throw ValidationError(
                "--host is for a host that runs, and --host-name for one of this machine: give one of them")
        }
        try client.validate()
    }

    private var client: ClientOptions { ClientOptions(host: host, name: hostName, timeout: timeout) }

    /// Runs a body with the list of keys.
    @MainActor
    func withKeys<Result>(_ body: @MainActor (AllowedKeys) async throws -> Result) async throws -> Result {
        let client = self.client
        let reference = try client.reference()
        // This machine's own host has its list here, whether or not it runs.
        guard client.address != nil || reference.context != nil else {
            let name = hostName ?? .default
            return try await body(.file(try KeyFolder(), of: name))
        }
        let host = try await HostClient(client, at: reference)
        defer { host.close() }
        return try await body(.host(host))
    }
}
