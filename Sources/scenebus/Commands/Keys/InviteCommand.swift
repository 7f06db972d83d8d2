import Access
import ArgumentParser
import Bus
import Foundation
import OperatorKit
import PeerLink
import ZeroMQ

struct InviteCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Prints an invitation, with which another machine joins a host.",
        discussion: """
            Run 'scenebus join' with it on the other machine. It works once, until it expires; 'scenebus key ls' lists it, and \
            'scenebus key revoke' withdraws it. Whoever has it can join in the machine's place, so send it as you would send a \
            password.

            EXAMPLES:
              scenebus invite --name wall-3 --role worker
              scenebus invite --name desk --role operator --expires 15m --address tcp://192.0.2.7:5570
              scenebus invite --name wall-4 --host wall
            """)
    @OptionGroup var host: KeyHostOptions
    @Option(help: "The name that the machine's key gets. The names of its peers begin with it.") var name: String
    @Option(help: "The role of the key; see 'scenebus key --help'.") var role = "worker"
    @Option(help: "What the key may do, such as send=account*; once for each grant.") var grant: [String] = []
    @Option(help: "When the invitation stops being valid: a time, or a span such as 15m or 12h.") var expires = "1h"
    @Option(help: "An address of the host; once for each. Default: those at which it listens now, or the context's.")
    var address: [String] = []
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
        let keys = try KeyPair()
        let entry = try rights.entry(
            name: name, role: KeyRole.invitation.rawValue, key: "\(keys.publicKey)", invites: invited.rawValue)
        let end = try KeyEnd(expires)
        let token = try await host.withKeys { list in
            let addresses = address.isEmpty ? try await addresses(of: list) : address
            let change = try await list.allow(entry, until: end)
            guard let hostKey = PublicKey(change.hostKey), let expires = change.expires else {
                throw CommandError(
                    .failure, "the host has answered without its key, or without the end of the invitation")
            }
            await list.warn(of: entry.grants)
            list.warnOfNextKey(before: expires)
            return InvitationToken(
                addresses: addresses, host: hostKey, keys: keys, name: name,
                expires: Date(timeIntervalSince1970: expires))
        }
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

    /// The addresses at which other machines may reach the host.
    @MainActor
    private func addresses(of list: AllowedKeys) async throws -> [String] {
        let advice = "say at which it will be reached with --address tcp://192.0.2.7:5570"
        let bound: [String]
        switch list {
        // The address that this machine uses.
        case .host(let client) where client.reference.endpoint.hasPrefix("tcp:"): return [client.reference.endpoint]
        case .host(let client): bound = try await client.chain.hostStatus().endpoints
        case .file(_, let name):
            do {
                let options = ClientOptions(name: name)
                let client = try await HostClient(options, at: HostReference(local: options.directory.endpoint))
                defer { client.close() }
                bound = try await client.chain.hostStatus().endpoints
            } catch {
                throw CommandError(
                    .unreachable, "the host '\(name)' does not run here: start it with --listen, or \(advice)")
            }
        }
        let addresses = bound.filter { $0.hasPrefix("tcp://") }.flatMap { MachineAddresses.reachable(from: $0) }
        guard !addresses.isEmpty else {
            throw CommandError(
                .refused, "the host '\(list.name)' does not listen on TCP: start it with --listen, or \(advice)")
        }
        return addresses
    }
}
