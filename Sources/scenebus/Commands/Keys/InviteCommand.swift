import Access
import ArgumentParser
import Bus
import Foundation
import OperatorKit
import PeerLink
import SceneHost
import ZeroMQ

struct InviteCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Prints an invitation, with which another machine joins a host of this one.",
        discussion: """
            Run 'scenebus join' with it on the other machine. It works once, until it expires; 'scenebus key ls' lists it, and \
            'scenebus key revoke' withdraws it. Whoever has it can join in the machine's place, so send it as you would send a \
            password.

            EXAMPLES:
              scenebus invite --name wall-3 --role worker
              scenebus invite --name desk --role operator --expires 15m --address tcp://192.0.2.7:5570
            """)
    @OptionGroup var host: KeyHostOptions
    @Option(help: "The name that the machine's key gets. The names of its peers begin with it.") var name: String
    @Option(help: "The role of the key; see 'scenebus key --help'.") var role = "worker"
    @Option(help: "What the key may do, such as send=account*; once for each grant.") var grant: [String] = []
    @Option(help: "When the invitation stops being valid: a time, or a span such as 15m or 12h.") var expires = "1h"
    @Option(help: "An address of the host; once for each. Default: those at which it listens now.") var address:
        [String] = []
    @Flag(help: "Print JSON.") var json = false

    func execute() async throws {
        let rights = KeyRightsOptions(grant: grant)
        guard let invited = KeyRole(rawValue: role), KeyRole.invited.contains(invited) else {
            let roles = KeyRole.invited.map(\.rawValue).joined(separator: ", ")
            throw CommandError(.usage, "'\(role)' is no role; there are \(roles)")
        }
        for address in address {
            if let problem = HostEndpoint.problem(of: address) { throw CommandError(.usage, problem) }
            guard address.hasPrefix("tcp://") else { throw CommandError(.usage, "'\(address)' is no tcp:// address") }
        }
        let addresses = address.isEmpty ? try await addressesOfHost() : address
        let folder = try KeyFolder()
        let hostKey = try folder.keyOrNew(in: folder.keyFile(of: host.hostName)).keys.publicKey
        let keys = try KeyPair()
        var entry = try rights.entry(name: name, role: invited.rawValue, key: "\(keys.publicKey)")
        (entry.role, entry.invites) = (.invitation, invited)
        let now = Date()
        entry.added = now
        entry.expires = try KeyRightsOptions.time(expires, after: now)
        try host.edit { list in
            if let other = list[name], other.role != .invitation {
                throw CommandError(
                    .refused,
                    "'\(name)' has a key already; revoke it first with 'scenebus key revoke \(name)', or choose another name"
                )
            }
            try list.set(entry)
        }
        let token = InvitationToken(
            addresses: addresses, host: hostKey, keys: keys, name: name, expires: entry.expires ?? now)
        if json {
            return try printJSON([
                "token": token.text, "name": name, "role": role, "expires": token.expires.formatted(.iso8601),
            ])
        }
        printLine(token.text)
        StandardError.write(
            "until \(token.expires.formatted(.iso8601)), on the other machine run: scenebus join, and paste the line above"
        )
    }

    /// The addresses at which other machines may reach the host that runs now.
    @MainActor
    private func addressesOfHost() async throws -> [String] {
        let options = ClientOptions(name: host.hostName)
        let advice = "say at which it will be reached with --address tcp://192.0.2.7:5570"
        let bound: [String]
        do {
            let client = try await HostClient(options, at: HostReference(local: options.directory.endpoint))
            defer { client.close() }
            bound = try await client.chain.hostStatus().endpoints
        } catch {
            throw CommandError(
                .unreachable, "the host '\(host.hostName)' does not run here: start it with --listen, or \(advice)")
        }
        let addresses = bound.filter { $0.hasPrefix("tcp://") }.flatMap { MachineAddresses.reachable(from: $0) }
        guard !addresses.isEmpty else {
            throw CommandError(
                .refused, "the host '\(host.hostName)' does not listen on TCP: start it with --listen, or \(advice)")
        }
        return addresses
    }
}
