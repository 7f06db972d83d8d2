import OperatorKit
import ArgumentParser
import Bus
import Messaging

struct StatusCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows the host's sessions, links, counters and problems.")

    @OptionGroup var client: ClientOptions

    func execute() async throws {
        let (status, all) = try await client.withHost { host in
            (try await host.chain.hostStatus(), try await host.chain.hostLinks())
        }
        if client.json { return try printJSON(Report(status: status, links: all)) }
        printLine(
            "host '\(status.name)', process \(status.pid), up \(whole(status.uptimeSeconds)) s, epoch \(status.epoch)")
        for endpoint in status.endpoints { printLine("  \(endpoint)") }
        printLine(
            "sessions: \(status.openSessions) open, \(status.connectedScenes) connected; container at revision \(status.revision)"
        )
        var links = Table("LINK", "PEER", "ROLE", "PID", "SILENT", "PENDING", "SESSIONS")
        for link in all {
            links.add(
                "\(link.link)", link.peer, link.role.rawValue, "\(link.pid)", "\(whole(link.silentSeconds * 1000)) ms",
                "\(link.pendingRequests)", "\(link.sessions)")
        }
        links.print()
        let counts = status.counters.sorted { $0.key < $1.key }
        printLine("counted: " + counts.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        for link in all where !link.drops.isEmpty {
            let drops = link.drops.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            printLine("\(link.peer) dropped: \(drops.joined(separator: ", "))")
        }
        for (name, count) in status.unhandledPosts.sorted(by: { $0.key < $1.key }) {
            printLine("unhandled post '\(name)': \(count)")
        }
        for problem in status.problems { printLine("problem: \(problem)") }
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
