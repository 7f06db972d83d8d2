import ArgumentParser
import Bus
import CoordinatorKit
import OperatorKit

/// The modes with a real scene worker, most of them with a plugin behind the host.

/// Measures a request that crosses two links: from a scene to the host, and from there to a plugin.
struct RequestMode: BenchMode {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Measures a request of a scene through the host to a plugin, and its reply.")
    @OptionGroup var options: BenchOptions
    var json: Bool { options.json }
    @Option(help: "The size of a message in bytes.") var size = 256
    @Option(help: "The number of requests in a round.") var count = 20_000

    func validate() throws {
        guard size > 0, count > 0 else { throw ValidationError("--size and --count must be positive") }
    }

    func measure() async throws -> Comparison {
        try await options.compare("request", ["p50_us", "p99_us", "mean_us"], hostHandles: false) { host in
            try await BenchOptions.withSessions(1, host) {
                try await options.withPlugin(host) { try await options.peer("scene", host, [count, size]) }
            }
        } floor: { _ in
            let endpoint = options.floorEndpoint(suffix: "relay")
            let relay = try await options.startFloor("relay", endpoint)
            defer { relay.finish() }
            let handler = try await options.startFloor("handle", endpoint)
            defer { handler.finish() }
            return try await options.floor("rtt", endpoint, [count, size])
        }
    }
}

/// Measures how long a change of an entry takes from the plugin that makes it to many coordinators.
struct EntryMode: BenchMode {
    static let configuration = CommandConfiguration(
        commandName: "entry",
        abstract: "Measures the time from a plugin's change of an entry until all coordinators of a worker have it.",
        discussion: "The floor is one subscriber behind a forwarder.")
    @OptionGroup var options: BenchOptions
    var json: Bool { options.json }
    @Option(help: "The number of coordinators.") var coordinators = 1000
    @Option(help: "The number of scenes that contain them.") var scenes = 10
    @Option(help: "The number of changes in a round.") var changes = 20

    func validate() throws {
        guard scenes > 0, coordinators >= scenes, coordinators % scenes == 0 else {
            throw ValidationError("--coordinators must be a multiple of --scenes")
        }
        guard (1...10_000).contains(changes) else { throw ValidationError("--changes must be from 1 to 10000") }
    }

    /// The size of the change's frame in bytes: header, one entry and its value.
    private static let frameSize = 92

    func measure() async throws -> Comparison {
        try await options.compare("entry", ["p50_us", "complete_us"], hostHandles: false) { host in
            try await BenchOptions.withSessions(scenes, host) {
                try await options.withPlugin(host) {
                    let worker = try await BenchProcess(
                        "scenebus-bench-peer", ["watch", host, "\(scenes)", "\(coordinators)", "\(changes)"])
                    defer { worker.finish() }
                    _ = try worker.line(beginning: "ready")
                    let trigger = try await BenchProcess(
                        "scenebus",
                        [
                            "request", "benchPublish", "rounds=\(changes)", "--host", host, "--timeout",
                            "\(60 + changes / 4)",
                        ])
                    defer { trigger.finish() }
                    return try Self.figures(of: worker)
                }
            }
        } floor: { _ in
            let source = options.floorEndpoint(suffix: "pub")
            let endpoint = options.floorEndpoint(suffix: "forward")
            let publisher = try await options.startFloor("publish", source, ["1", "\(changes)", "\(Self.frameSize)"])
            defer { publisher.finish() }
            let forwarder = try await options.startFloor("forward", endpoint, [source])
            defer { forwarder.finish() }
            let subscriber = try await options.startFloor("subscribe", endpoint, ["1", "\(changes)"])
            defer { subscriber.finish() }
            return try Self.figures(of: subscriber)
        }
    }

    @MainActor
    private static func figures(of process: BenchProcess) throws -> [String: Double] {
        let rounds = try process.line(beginning: "rounds").split(separator: " ").compactMap { Double($0) }
        return try process.figures().merging(["complete_us": median(rounds) / 1e3]) { $1 }
    }
}

/// Measures how many frames leave together.
struct BatchMode: BenchMode {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Measures the frames in a message from the host to a worker, by the number of outstanding requests.")
    @OptionGroup var options: BenchOptions
    var json: Bool { options.json }
    @Option(help: "The size of a message in bytes.") var size = 256
    @Option(help: "The number of requests in a round.") var count = 50_000
    private static let outstanding = [1, 10, 100, 1000]

    func validate() throws {
        guard size > 0, count >= 1000 else { throw ValidationError("--count must be at least 1000") }
    }

    func measure() async throws -> Comparison {
        let numbers = Self.outstanding
        return try await options.measure("batch", numbers.map { "frames_at_\($0)" }) { host in
            var figures: [String: Double] = [:]
            for outstanding in numbers {
                figures["frames_at_\(outstanding)"] =
                    try await options.peer("pipeline", host, [count, size, outstanding])["frames_message"]
            }
            return figures
        }
    }
}

/// Measures what the tap costs while a monitor listens.
struct TapMode: BenchMode {
    static let configuration = CommandConfiguration(
        commandName: "tap", abstract: "Measures the requests per second without a monitor and with one.")
    @OptionGroup var options: BenchOptions
    var json: Bool { options.json }
    @Option(help: "The size of a message in bytes.") var size = 256
    @Option(help: "The number of requests in a round.") var count = 50_000
    @Option(help: "The number of outstanding requests.") var outstanding = 1000

    func validate() throws {
        guard !options.monitored else { throw ValidationError("this mode starts its own monitor: omit --monitored") }
        guard size > 0, outstanding > 0, count >= outstanding else {
            throw ValidationError("--count must be at least --outstanding")
        }
    }

    func measure() async throws -> Comparison {
        try await options.measure("tap", ["off_msgs_s", "on_msgs_s", "on_off"]) { host in
            let numbers = [count, size, outstanding]
            let off = try await options.peer("pipeline", host, numbers)["msgs_s"] ?? 0
            let monitor = try await options.monitor(of: host)
            defer { monitor.finish() }
            let on = try await options.peer("pipeline", host, numbers)["msgs_s"] ?? 0
            return ["off_msgs_s": off, "on_msgs_s": on, "on_off": on / off]
        }
    }
}

extension BenchOptions {
    /// Starts a role of the floor that says when it is ready.
    @MainActor
    func startFloor(_ role: String, _ endpoint: String, _ arguments: [String] = []) async throws -> BenchProcess {
        let process = try await BenchProcess("scenebus-bench-floor", [role, endpoint] + arguments)
        _ = try process.line(beginning: "ready")
        return process
    }

    /// Runs the benchmark's plugin for the duration of a body.
    @MainActor
    func withPlugin<Result>(_ host: String, _ body: () async throws -> Result) async throws -> Result {
        let plugin = try await BenchProcess("scenebus-bench-peer", ["plugin", host])
        defer { plugin.finish() }
        // Until then, the host's delegate would handle the plugin's messages.
        try await waitUntilAttached(["bench-plugin"], host)
        return try await body()
    }

    /// Opens sessions, which wait for a worker, for the duration of a body.
    @MainActor
    static func withSessions<Result>(
        _ count: Int, _ host: String, _ body: () async throws -> Result
    ) async throws -> Result {
        var sessions: [String] = []
        try await withClient(host) { chain in
            for _ in 0..<count {
                let session = try await chain.hostOpenSession(
                    configuration: "Bench", role: SceneSession.Role.windowApplication.rawValue, link: nil, session: nil)
                sessions.append(session.session)
            }
        }
        let result = try await body()
        try await withClient(host) { chain in
            for session in sessions { try await chain.hostCloseSession(session: session) }
        }
        return result
    }

    /// Attaches as an operator for a moment only: reading from processes blocks this actor, and with it the link's heartbeats.
    @MainActor
    private static func withClient(_ host: String, _ body: (ResponderChain) async throws -> Void) async throws {
        let client = try await HostClient(ClientOptions.parse(["--host", host]))
        defer { client.close() }
        try await body(client.chain)
    }
}
