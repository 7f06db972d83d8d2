import ArgumentParser
import Bus
import Foundation
import OperatorKit

struct AuditCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Lists who has done what, and what was refused to whom.",
        discussion: """
            The host keeps the actions of operators, changes of its list of keys, and refusals, each of these once a minute \
            for a peer: up to 100000 entries of the last 90 days, in its store. KEY is '-' for a peer of the host's own user \
            on its machine, and USER for one that acted for itself, or for a user \
            that was refused.

            EXAMPLES:
              scenebus audit
              scenebus audit --since 2h
              scenebus audit --since 2027-01-31T18:00:00Z --json
            """)
    @OptionGroup var client: ClientOptions
    @Option(
        help: "The earliest time: a time such as 2027-01-31T18:00:00Z, or a span before now such as 45m, 12h or 30d.")
    var since = "1d"

    func execute() async throws {
        let time = try TimeSpan.time(since, .before, Date())
        let entries = try await client.withHost {
            try await $0.chain.hostAudit(since: time.timeIntervalSince1970)
        }
        if client.json { return try printJSON(entries) }
        guard !entries.isEmpty else { return printLine("nothing was done since \(time.formatted(.iso8601))") }
        var table = Table("TIME", "PEER", "KEY", "USER", "ROLE", "ACTION", "OBJECT", "OUTCOME", flexible: "OUTCOME")
        for entry in entries {
            table.add(
                Date(timeIntervalSince1970: entry.time).formatted(.iso8601), entry.peer.isEmpty ? "-" : entry.peer,
                entry.key ?? "-", entry.user ?? "-", entry.role, entry.action,
                entry.object.isEmpty ? "-" : entry.object, entry.outcome)
        }
        table.print()
    }
}
