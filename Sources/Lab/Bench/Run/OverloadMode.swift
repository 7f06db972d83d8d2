import ArgumentParser
import Bus
import CoordinatorKit
import Foundation
import OperatorKit
import ZeroMQ

/// Measures what a sender that is faster than its receiver costs the others.
struct OverloadMode: BenchMode {
    enum Direction: String, ExpressibleByArgument, CaseIterable, Sendable {
        case up, down
    }

    static let configuration = CommandConfiguration(
        commandName: "overload",
        abstract: "Measures memory, drops and the delay of others while a peer reads slowly what another sends fast.",
        discussion: """
            A peer sends 1000 messages a second through the host to a peer that needs some milliseconds for each. With \
            --direction up they are posts, and those that do not fit are dropped and counted. With --direction down they \
            are changes of an entry. A slow reader misses some of them, but has the newest in the end.

            The sender pauses again and again, so that another worker's round trips with and without the load are measured \
            at almost the same time.

            Figures: the numbers of messages sent, taken and dropped, and those of which nothing is known (lost); the \
            highest memory of each process; the median round trip of the other worker while the sender pauses and while \
            it sends.

            EXAMPLES:
              scenebus bench overload --rounds 1
              scenebus bench overload --direction down --seconds 10 --rounds 1
            """)
    @OptionGroup var options: BenchOptions
    var json: Bool { options.json }
    @Option(help: "Whether the messages are posts (up) or changes of an entry (down).") var direction = Direction.up
    @Option(help: "How long to send, in seconds, without the pauses.") var seconds = 60
    @Option(help: "The size of a message in bytes.") var size = 8000
    @Option(help: "How long the receiver needs for a message, in milliseconds.") var pause = 5

    func validate() throws {
        guard (1...3600).contains(seconds), (1...1_000_000).contains(size), (1...1000).contains(pause) else {
            throw ValidationError(
                "--seconds must be from 1 to 3600, --size from 1 to 1000000, --pause from 1 to 1000")
        }
    }

    private static let keys = [
        "sent", "taken", "dropped", "lost", "host_mb", "sender_mb", "receiver_mb", "paused_us", "sending_us",
        "slower",
    ]

    func measure() async throws -> Comparison {
        try await options.measure("overload \(direction.rawValue)", Self.keys) { try await round($0) }
    }

    /// The number of round trips of which the median is taken.
    private static let trips = 4000

    @MainActor
    private func trip(_ host: String) async throws -> Double {
        try await options.peer("rtt", host, [Self.trips, 256])["p50_us"] ?? 0
    }

    @MainActor
    private func round(_ host: String) async throws -> [String: Double] {
        let before = try await status(of: host)
        let receiver = try await BenchProcess("scenebus-bench-peer", ["slow", host, "\(pause)"])
        defer { receiver.finish() }
        try await options.waitUntilAttached(["bench-slow"], host)
        let sender = try await BenchProcess(
            "scenebus-bench-peer", ["flood", host, direction == .up ? "0" : "1", "\(seconds)", "\(size)"])
        defer { sender.finish() }
        var trips: (paused: [Double], sending: [Double]) = ([], [])
        var memory: [String: Int] = [:]
        var sendingTime = Duration.zero
        repeat {
            try sender.send("pause")
            trips.paused.append(try await trip(host))
            try sender.send("resume")
            let start = MonotonicInstant.now
            trips.sending.append(try await trip(host))
            sendingTime += MonotonicInstant.now - start
            for (name, pid) in [("host_mb", before.pid), ("sender_mb", sender.pid), ("receiver_mb", receiver.pid)] {
                memory[name] = max(memory[name] ?? 0, ProcessUse.memory(of: pid).rss)
            }
        } while sendingTime < .seconds(seconds)
        let sent = BenchProcess.figures(of: try sender.line(beginning: "done"))
        var figures = try await rest(of: receiver, host, before: before, sent: sent)
        for (name, bytes) in memory { figures[name] = Double(bytes) / 1e6 }
        figures["paused_us"] = median(trips.paused)
        figures["sending_us"] = median(trips.sending)
        figures["slower"] = median(trips.sending) / median(trips.paused)
        return figures
    }

    /// How long the receiver may need for what waits, in seconds.
    private static let patience = 600

    /// Waits until the receiver has taken what is not dropped.
    @MainActor
    private func rest(
        of receiver: BenchProcess, _ host: String, before: HostStatus, sent: [String: Double]
    ) async throws -> [String: Double] {
        let sentCount = sent["sent"] ?? 0
        let end = MonotonicInstant.now + .seconds(Self.patience)
        while true {
            try receiver.send("show")
            let figures = BenchProcess.figures(of: try receiver.line(beginning: "taken"))
            let status = try await status(of: host)
            let drops = status.counters.filter { $0.key.hasPrefix("dropped") }.map {
                Double($0.value - (before.counters[$0.key] ?? 0))
            }
            let taken = figures["taken"] ?? 0
            let dropped = drops.reduce(0, +) + (sent["dropped"] ?? 0) + (figures["dropped"] ?? 0)
            // A reader of an entry has lost nothing when it has the newest value. The host's counts also have what it has
            // dropped of others, such as the peers that measure the round trips and have ended.
            let lost = max(0, sentCount - (direction == .up ? taken + dropped : figures["newest"] ?? 0))
            if lost == 0 || .now > end {
                return ["sent": sentCount, "taken": taken, "dropped": dropped, "lost": lost]
            }
        }
    }

    @MainActor
    private func status(of host: String) async throws -> HostStatus {
        let client = try await HostClient(ClientOptions.parse(["--host", host]))
        defer { client.close() }
        return try await client.chain.hostStatus()
    }
}
