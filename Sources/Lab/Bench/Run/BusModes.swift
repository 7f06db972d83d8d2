import OperatorKit
import ArgumentParser
import BenchMessages
import Bus
import Messaging
import Foundation
import PeerLink

struct RoundTrip: BenchMode {
    static let configuration = CommandConfiguration(
        commandName: "rtt", abstract: "Measures the time of one request and its reply.")
    @OptionGroup var options: BenchOptions
    var json: Bool { options.json }
    @Option(help: "The size of a message in bytes.") var size = 256
    @Option(help: "The number of requests in a round.") var count = 20_000

    func measure() async throws -> Comparison {
        var comparison = try await options.compare("rtt", ["p50_us", "p99_us", "mean_us"]) { host in
            try await options.peer("rtt", host, [count, size])
        } floor: { echo in
            try await options.floor("rtt", echo, [count, size])
        }
        comparison.size = size
        return comparison
    }
}

struct Pipeline: BenchMode {
    static let configuration = CommandConfiguration(
        commandName: "pipeline", abstract: "Measures the requests per second with many outstanding.")
    @OptionGroup var options: BenchOptions
    var json: Bool { options.json }
    @Option(help: "The size of a message in bytes.") var size = 256
    @Option(help: "The number of requests in a round.") var count = 200_000
    @Option(help: "The number of outstanding requests.") var outstanding = 1000

    func measure() async throws -> Comparison {
        var comparison = try await options.compare("pipeline", ["msgs_s"]) { host in
            try await options.peer("pipeline", host, [count, size, outstanding])
        } floor: { echo in
            try await options.floor("pipeline", echo, [count, size, outstanding])
        }
        comparison.size = size
        return comparison
    }
}

struct Chain: BenchMode {
    static let configuration = CommandConfiguration(
        commandName: "chain", abstract: "Measures nanoseconds and allocations per responder that a message passes.")
    @Option(help: "The number of coordinators between the sender and the handler.") var depth = 64
    @Option(help: "The number of messages in a round.") var count = 20_000
    @Option(help: "Rounds.") var rounds = 5
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard (2...10_000).contains(depth) else { throw ValidationError("--depth must be from 2 to 10000") }
    }

    func measure() async throws -> Comparison {
        var results: [[String: Double]] = []
        for _ in 0..<rounds {
            let process = try await BenchProcess("scenebus-bench-chain", ["\(depth)", "\(count)"])
            defer { process.finish() }
            results.append(try process.figures())
        }
        return Comparison("chain", transport: nil, ["ns_hop", "allocs"], results: results, floors: [])
    }
}

struct Connect: BenchMode {
    static let configuration = CommandConfiguration(
        commandName: "connect",
        abstract: "Measures the time from a scene worker's start to the first reply that its scene gets.")
    @OptionGroup var options: BenchOptions
    var json: Bool { options.json }
    @Option(help: "The size of a message in bytes.") var size = 256
    @Option(help: "The number of processes in a round.") var count = 20

    func measure() async throws -> Comparison {
        func figures(_ name: String, _ endpoint: String) async throws -> [String: Double] {
            var times: [Double] = []
            for _ in 0..<count {
                let process = try await BenchProcess(name, ["first", endpoint, "\(size)"])
                let replied = try process.figures()["replied_ns"] ?? 0
                times.append((replied - Double(process.startedAt)) / 1e3)
                process.finish()
            }
            return ["connect_us": median(times)]
        }
        return try await options.compare("connect", ["connect_us"]) { host in
            try await BenchOptions.withSessions(1, host) { try await figures("scenebus-bench-peer", host) }
        } floor: { echo in
            try await figures("scenebus-bench-floor", echo)
        }
    }
}

struct Footprint: BenchMode {
    static let configuration = CommandConfiguration(
        commandName: "footprint", abstract: "Measures the memory of an idle worker while others run.")
    @OptionGroup var options: BenchOptions
    var json: Bool { options.json }
    @Option(help: "The number of processes of each kind.") var count = 8

    func measure() async throws -> Comparison {
        func figures(_ name: String, _ endpoint: String) async throws -> [String: Double] {
            let isFloor = name == "scenebus-bench-floor"
            var processes: [BenchProcess] = []
            for number in 0..<count {
                processes.append(
                    try await BenchProcess(
                        name, isFloor ? ["idle", endpoint] : ["--host", endpoint, "--name", "idle-\(number)"]))
            }
            if isFloor {
                for process in processes { _ = try process.line(beginning: "ready") }
            } else {
                try await options.waitUntilAttached((0..<count).map { "idle-\($0)" }, endpoint)
            }
            let sizes = processes.map { ProcessUse.memory(of: $0.pid) }
            for process in processes { process.finish() }
            return [
                "pss_kb": median(sizes.map { Double($0.pss) / 1024 }),
                "rss_kb": median(sizes.map { Double($0.rss) / 1024 }),
            ]
        }
        return try await options.compare("footprint", ["pss_kb", "rss_kb"]) { host in
            try await figures("scenebus-bench-peer", host)
        } floor: { echo in
            try await figures("scenebus-bench-floor", echo)
        }
    }
}

struct FanOut: BenchMode {
    static let configuration = CommandConfiguration(
        commandName: "fanout", abstract: "Measures the time until every subscriber has a changed entry.")
    @OptionGroup var options: BenchOptions
    var json: Bool { options.json }
    @Option(help: "The number of subscribers; each is a link with a copy of the container.") var subs = 1000
    @Option(help: "The number of processes for the subscribers.") var procs = 2
    @Option(help: "The number of changes in a round.") var changes = 20

    func validate() throws {
        guard procs > 0, subs >= procs, subs % procs == 0 else {
            throw ValidationError("--subs must be a multiple of --procs")
        }
        guard (1...10_000).contains(changes) else { throw ValidationError("--changes must be from 1 to 10000") }
    }

    /// The size of the change's frame in bytes: header, one entry and its value.
    private static let frameSize = 92

    func measure() async throws -> Comparison {
        try await options.compare("fanout", ["p50_us", "p99_us", "complete_us", "deliveries_s"]) { host in
            let peers = try await start("scenebus-bench-peer", host)
            let trigger = try await BenchProcess(
                "scenebus",
                [
                    "request", "benchPublish", "rounds=\(changes)", "--host", BenchOptions.control, "--timeout",
                    "\(60 + changes / 4)",
                ])
            defer { trigger.finish() }
            return try collect(peers)
        } floor: { _ in
            let endpoint = options.floorEndpoint(suffix: "pub")
            let publisher = try await BenchProcess(
                "scenebus-bench-floor", ["publish", endpoint, "\(subs)", "\(changes)", "\(Self.frameSize)"])
            _ = try publisher.line(beginning: "ready")
            defer { publisher.finish() }
            return try collect(try await start("scenebus-bench-floor", endpoint))
        }
    }

    @MainActor
    private func start(_ name: String, _ endpoint: String) async throws -> [BenchProcess] {
        var peers: [BenchProcess] = []
        for _ in 0..<procs {
            peers.append(
                try await BenchProcess(name, ["subscribe", endpoint, "\(subs / procs)", "\(changes)"]))
        }
        for peer in peers { _ = try peer.line(beginning: "ready") }
        return peers
    }

    @MainActor
    private func collect(_ peers: [BenchProcess]) throws -> [String: Double] {
        var longest = Array(repeating: 0.0, count: changes)
        var figures: [[String: Double]] = []
        for peer in peers {
            let rounds = try peer.line(beginning: "rounds").split(separator: " ").dropFirst().compactMap {
                Double($0)
            }
            for (index, time) in rounds.enumerated() { longest[index] = max(longest[index], time) }
            figures.append(try peer.figures())
            peer.finish()
        }
        let complete = median(longest) / 1e3
        return [
            "p50_us": median(figures.compactMap { $0["p50_us"] }),
            "p99_us": figures.compactMap { $0["p99_us"] }.max() ?? 0,
            "complete_us": complete, "deliveries_s": Double(subs) * 1e6 / complete,
        ]
    }
}
