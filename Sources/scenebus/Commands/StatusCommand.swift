import OperatorKit
import ArgumentParser
import Bus
import Messaging

struct StatusCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows the host's sessions, links, counters and problems.")

    @OptionGroup var client: ClientOptions
    @OptionGroup var watching: WatchOptions

    /// The counters that grow with each look.
    private static let traffic = ["frames in", "frames out"]

    func execute() async throws {
        try await watching.show(of: client) { host in
            // Both at once: a full host takes the place of an operator that waits for nothing.
            async let status = host.chain.hostStatus()
            async let links = host.chain.hostLinks()
            return try listing(of: try await status, try await links)
        }
    }

    private func listing(of status: HostStatus, _ all: [LinkStatus]) throws -> TableListing {
        var links = Table("LINK", "PEER", "ROLE", "PID", "SILENT", "PENDING", "SESSIONS")
        for link in all {
            let (number, role, pid) = ("\(link.link)", link.role.rawValue, "\(link.pid)")
            let (pending, sessions) = ("\(link.pendingRequests)", "\(link.sessions)")
            links.add(
                number, link.peer, role, pid, "\(whole(link.silentSeconds * 1000)) ms", pending, sessions,
                comparing: [link.peer, role, pid, pending, sessions])
        }
        var listing = try TableListing(links, json: Report(status: status, links: all))
        listing.ages =
            [["uptimeSeconds"], ["time"], ["links", "silentSeconds"]] + Self.traffic.map { ["counters", $0] }
        listing.head = [
            .init(
                "host '\(status.name)', process \(status.pid), up \(whole(status.uptimeSeconds)) s, epoch \(status.epoch)",
                named: "host", comparing: "\(status.name) \(status.pid) \(status.epoch)")
        ]
        listing.head += status.endpoints.map { .init("  \($0)") }
        listing.head.append(
            .init(
                "sessions: \(status.openSessions) open, \(status.connectedScenes) connected; container at revision \(status.revision)",
                named: "sessions"))
        let counts = status.counters.sorted { $0.key < $1.key }.map { (name: $0.key, text: "\($0.key) \($0.value)") }
        listing.foot = [
            .init(
                "counted: " + counts.map(\.text).joined(separator: ", "), named: "counted",
                comparing: counts.filter { !Self.traffic.contains($0.name) }.map(\.text).joined(separator: ", "))
        ]
        for link in all where !link.drops.isEmpty {
            let drops = link.drops.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            listing.foot.append(
                .init("\(link.peer) dropped: \(drops.joined(separator: ", "))", named: "\(link.peer) dropped"))
        }
        listing.foot += status.unhandledPosts.sorted { $0.key < $1.key }.map { name, count in
            .init("unhandled post '\(name)': \(count)", named: "unhandled post '\(name)'")
        }
        listing.foot += status.problems.map { .init("problem: \($0)") }
        return listing
    }

    /// The host's status with its links, as one object.
    private struct Report: Encodable {
        let status: HostStatus
        let links: [LinkStatus]

        private enum Key: CodingKey { case links }

        func encode(to encoder: any Encoder) throws {
            try status.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(links, forKey: .links)
        }
    }

    /// The number without its fraction, or "?" for one that does not fit into an integer.
    private func whole(_ number: Double) -> String {
        Int(exactly: number.rounded(.down)).map(String.init) ?? "?"
    }
}
