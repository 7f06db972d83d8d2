import ArgumentParser
import Bus
import Foundation
import OperatorKit
import PeerLink

struct AuditCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Lists who has done what, and what was refused to whom.",
        discussion: """
            The host keeps the actions of operators, changes of its list of keys, and refusals, each of these once a minute \
            for a peer: up to 100000 entries of the last 90 days, in its store. KEY is '-' for a peer of the host's own user \
            on its machine, and USER for one that acted for itself, or for a user that was refused.

            With --watch, the newest 1000 entries are shown.

            EXAMPLES:
              scenebus audit
              scenebus audit --since 2h
              scenebus audit --since 2027-01-31T18:00:00Z --json
              scenebus audit --since 1m --watch
            """)
    @OptionGroup var client: ClientOptions
    @OptionGroup var watching: WatchOptions
    @Option(
        help: "The earliest time: a time such as 2027-01-31T18:00:00Z, or a span before now such as 45m, 12h or 30d.")
    var since = "1d"

    func execute() async throws {
        let time = try TimeSpan.time(since, .before, Date())
        let trail = AuditTrail(since: time, limit: watching.watch ? 1000 : nil)
        try await watching.show(of: client) { host in
            try await trail.read(from: host)
            return try listing(of: trail.entries, since: time)
        }
    }

    private func listing(of entries: [AuditEntry], since time: Date) throws -> TableListing {
        var table = Table(
            "TIME", "PEER", "KEY", "USER", "ROLE", "ACTION", "OBJECT", "OUTCOME", flexible: "OUTCOME", isLog: true)
        for entry in entries {
            table.add(
                Date(timeIntervalSince1970: entry.time).formatted(.iso8601), entry.peer.isEmpty ? "-" : entry.peer,
                entry.key ?? "-", entry.user ?? "-", entry.role, entry.action,
                entry.object.isEmpty ? "-" : entry.object, entry.outcome,
                comparing: ["\(entry.number)", "\(entry.time)"])
        }
        return try TableListing(
            table, whenEmpty: "nothing was done since \(time.formatted(.iso8601))", json: entries)
    }
}

/// The entries of an audit that have been read, of which a watch asks only for the further ones.
@MainActor
private final class AuditTrail {
    private(set) var entries: [AuditEntry] = []
    private let time: Date
    private let limit: Int?
    /// The life of the host that has numbered the entries.
    private var epoch: UInt64?

    /// - Parameter limit: how many entries are kept, the newest ones; `nil` for all.
    init(since time: Date, limit: Int?) {
        self.time = time
        self.limit = limit
    }

    /// Asks the host for the entries that are not read yet.
    func read(from host: HostClient) async throws {
        let present = host.link.welcome?.epoch
        // A host without a store numbers its entries from the beginning.
        let isSameLife = epoch == present
        let new = try await host.chain.hostAudit(
            since: time.timeIntervalSince1970, after: isSameLife ? entries.last?.number : nil)
        epoch = present
        entries = (isSameLife ? entries : []) + new
        if let limit { entries = entries.suffix(limit) }
    }
}
