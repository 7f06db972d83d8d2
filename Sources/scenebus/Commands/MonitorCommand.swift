import Messaging
import ArgumentParser
import Bus
import PeerLink
import OperatorKit

struct MonitorCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor", abstract: "Shows the frames on the bus as they pass, until Ctrl-C.",
        discussion: """
            TIME is in seconds since the host's start. Each message is shown once for each hop. When the link to the \
            host is lost, the monitor reports that on standard error, reconnects and continues.

            EXAMPLES:
              scenebus monitor
              scenebus monitor 'account*'
              scenebus monitor --json | jq .name
            """)
    @OptionGroup var client: ClientOptions
    @Argument(help: "Show only messages with this name; * matches any text. Frames without a name match by kind.")
    var pattern: String?
    @Flag(help: "Show heartbeats and beacons too.")
    var all = false

    func execute() async throws {
        let host = try await HostClient(client, role: .monitor)
        defer { host.close() }
        let pattern = pattern.map(MessagePattern.init)
        let json = client.json
        let showsAll = all
        let own = host.link.configuration.peer
        if !json {
            printLine("TIME          FROM            TO              KIND      NAME                    SIZE  LATENCY")
            flushOutput()
        }
        let show: @MainActor (TapRecord) -> Void = { record in
            guard record.from != own, record.to != own else { return }
            if let pattern {
                guard pattern.matches(record.name.isEmpty ? record.kind : record.name) else { return }
            } else if !showsAll, record.kind == "heartbeat" || record.kind == "beacon" {
                return
            }
            if json {
                try? printJSON(record)
            } else {
                printLine(Self.line(record))
            }
            flushOutput()
        }
        let lost: UInt64
        // Over TCP with keys, the host decides for each link who may watch.
        if host.reference.security != nil {
            let tap = try await LinkTap(of: host, onRecord: show)
            try await host.goOnUntilInterrupted()
            lost = tap.lost
        } else {
            let tap = try TapSubscriber(
                publisher: host.welcome.publisher, endpoint: host.reference.endpoint, context: host.context,
                onRecord: show)
            defer { tap.close() }
            try await host.goOnUntilInterrupted()
            lost = tap.lost
        }
        if lost > 0 {
            StandardError.write("scenebus: \(lost) records were lost because the monitor read too slowly")
        }
    }

    private static func line(_ record: TapRecord) -> String {
        func left(_ text: String, _ width: Int) -> String {
            text.printable.padded(to: width)
        }
        func right(_ text: String, _ width: Int) -> String {
            text.count >= width ? text : String(repeating: " ", count: width - text.count) + text
        }
        let micros = String(record.time % 1_000_000)
        let time = "\(record.time / 1_000_000)." + String(repeating: "0", count: 6 - micros.count) + micros
        let latency = record.latency.map { "\($0) us" } ?? ""
        return left(time, 14) + left(record.from, 16) + left(record.to, 16) + left(record.kind, 10)
            + left(record.name, 22) + right("\(record.size)", 6) + "  " + latency
    }
}
