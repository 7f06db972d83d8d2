import ArgumentParser
import OperatorKit

/// Measures how long a change of a scene takes to those who watch it, and what that costs.
struct SceneMode: BenchMode {
    static let configuration = CommandConfiguration(
        commandName: "scene",
        abstract: "Measures how long a change of a scene takes to those who watch it, and what it costs.",
        discussion: """
            The scene shows ten facts, a meter, a table and a chart. An action of one client changes the meter.

            'p50_us' and 'p99_us' are the time until another client that watches the scene has the changed picture. The \
            floor is two round trips: a request that a relay carries to its handler, and the reply. 'all_p50_us' and \
            'all_max_us' are the time until all watchers have it. They are at several clients, as readers are at consoles, \
            and each client asks the host once. 'sent' is how often the worker sends the picture of a change; a run of its \
            own counts it.

            'acts_s' and 'act_cpu_us' are the actions in a second, one after the other, and the processor time of host and \
            worker for one, while nobody watches; 'watched_acts_s' and 'watched_act_cpu_us' while a client watches. The \
            other figures are the bytes of what the host sends after a change of the meter, of one cell, and of the chart, \
            which moves on by a point, and those of the whole.

            EXAMPLES:
              scenebus bench scene
              scenebus bench scene --rows 10 --points 60
              scenebus bench scene --watchers 10000 --clients 100
            """)

    @Option(help: "The number of rounds; each measures SceneBus and libzmq.") var rounds = 5
    @Flag(help: "Print JSON.") var json = false
    @Option(help: "The number of watched actions in a round, and of those that nobody watches.") var count = 300
    @Option(help: "The number of watchers.") var watchers = 1000
    @Option(help: "The number of clients at which they are.") var clients = 10
    @Option(help: "The number of changes in a round that all watchers are shown.") var changes = 20
    @Option(help: "The number of rows of the table.") var rows = 200
    @Option(help: "The number of points of the chart.") var points = 3600

    private static let keys = [
        "p50_us", "p99_us", "all_p50_us", "all_max_us", "sent", "acts_s", "watched_acts_s", "act_cpu_us",
        "watched_act_cpu_us", "meter_bytes", "cell_bytes", "point_bytes", "whole_bytes",
    ]
    /// The size of the floor's messages in bytes: an action, and a picture's difference.
    private static let floorSize = 256

    func validate() throws {
        guard (1...1000).contains(rounds) else { throw ValidationError("--rounds must be from 1 to 1000") }
        guard (1...100_000).contains(count), (1...10_000).contains(changes) else {
            throw ValidationError("--count must be from 1 to 100000, and --changes from 1 to 10000")
        }
        guard (1...1000).contains(clients), watchers >= clients, watchers % clients == 0 else {
            throw ValidationError("--watchers must be a multiple of --clients, of which there are at most 1000")
        }
        guard (1...200).contains(rows), (2...3600).contains(points) else {
            throw ValidationError("a screen has from 1 to 200 --rows and from 2 to 3600 --points")
        }
    }

    func measure() async throws -> Comparison {
        let options = try BenchOptions.parse(["--rounds", "\(rounds)"])
        return try await options.compare("scene", Self.keys) { host in
            let worker = try await BenchProcess("scenebus-bench-peer", ["dashboard", host, "\(rows)", "\(points)"])
            defer { worker.finish() }
            // A session that is opened then is returned when its scene runs.
            try await options.waitUntilAttached(["bench-worker"], host)
            let watching = try await BenchProcess(
                "scenebus-bench",
                [
                    "watchers", "--host", host, "--count", "\(count)", "--watchers", "\(watchers)", "--clients",
                    "\(clients)", "--changes", "\(changes)",
                ])
            defer { watching.finish() }
            return try watching.figures()
        } floor: { _ in
            let endpoint = options.floorEndpoint(suffix: "relay")
            let relay = try await options.startFloor("relay", endpoint)
            defer { relay.finish() }
            let handler = try await options.startFloor("handle", endpoint)
            defer { handler.finish() }
            return try await options.floor("rtt", endpoint, [count, Self.floorSize])
        }
    }
}
