import ArgumentParser
import OperatorKit
import PeerLink

/// Measures what it costs an attached worker that keys which are not allowed try to connect.
struct StrangersMode: BenchMode {
    static let configuration = CommandConfiguration(
        commandName: "strangers",
        abstract: "Measures the time of a request alone, and while unknown keys try to connect.",
        discussion: """
            A worker sends requests over TCP with keys, first alone, and then while a process connects to the host with \
            one key after the other that the host does not know. That process has the lowest priority, because strangers are \
            on other machines. When too many handshakes of one address have failed, the host closes its connections at once.
            """)
    @Option(help: "The number of rounds.") var rounds = 5
    @Flag(help: "Print JSON.") var json = false
    @Option(help: "The size of a message in bytes.") var size = 256
    @Option(help: "The number of requests in a round.") var count = 20_000
    @Option(help: "The number of strangers that try at a time.") var strangers = 16

    func validate() throws {
        guard rounds > 0, count > 0, strangers > 0 else { throw ValidationError("the numbers must be positive") }
    }

    func measure() async throws -> Comparison {
        let options = try BenchOptions.parse(["--transport", "curve", "--rounds", "\(rounds)"])
        var comparison = try await options.measure(
            "strangers", ["alone_p50_us", "alone_p99_us", "p50_us", "p99_us", "ratio", "refused_s", "closed_s"]
        ) { host in
            let alone = try await options.peer("rtt", host, [count, size])
            let crowd = try await BenchProcess("scenebus-bench-peer", ["strangers", host, "\(strangers)"])
            defer { crowd.finish() }
            let start = ContinuousClock.now
            let crowded = try await options.peer("rtt", host, [count, size])
            try crowd.send("count")
            let figures = try crowd.figures()
            let (refused, closed) = (figures["refused"] ?? 0, figures["closed"] ?? 0)
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            StandardError.write(
                "\(Int(refused)) keys were refused, and \(Int(closed)) connections closed, in \(Int(seconds * 1000)) ms"
            )
            let (p50, before) = (crowded["p50_us"] ?? 0, alone["p50_us"] ?? 0)
            return [
                "alone_p50_us": before, "alone_p99_us": alone["p99_us"] ?? 0, "p50_us": p50,
                "p99_us": crowded["p99_us"] ?? 0, "ratio": p50 / before, "refused_s": refused / seconds,
                "closed_s": closed / seconds,
            ]
        }
        comparison.size = size
        return comparison
    }
}
