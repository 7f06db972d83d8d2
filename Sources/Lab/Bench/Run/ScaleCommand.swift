import PeerLink
import OperatorKit
import ArgumentParser
import Foundation

/// Measures the costs that grow with the number of workers, sessions and entries.
struct ScaleCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "scale",
        abstract: "Measures the costs that grow with the number of workers, sessions and entries.",
        discussion: """
            Starts a host with a store, a provider of entries, and simulated workers: links on real sockets, several \
            in a process. Measures:
              - the time until every worker has the complete container and every session has a scene, at the first \
            start and after a kill and restart of the host
              - the delivery of one changed entry, and the resynchronization of a peer that has missed it
              - the host's longest turn while up to 50 workers leave at once (at most half of those in a process), and the \
            time until their sessions have scenes again
              - the host's longest turn of all, during which it handles no messages
              - the idle host's memory and processor time

            Without --workers it runs with 10, 100 and 1,000 workers, each time with ten times as many sessions and \
            entries, and prints a table with the factor of each step. A second table has 10 workers without sessions, \
            and more and more entries.

            EXAMPLES:
              scenebus bench scale
              scenebus bench scale --most 100
              scenebus bench scale --workers 1000 --sessions 10000 --entries 10000
              scenebus bench scale --workers 10 --entries 10000 --no-restart
              scenebus bench scale --workers 1000 --transport curve
            """)

    @Option(help: "The number of simulated workers (default: a table of several numbers).") var workers: Int?
    @Option(help: "The number of open sessions (default: 10 for each worker).") var sessions: Int?
    @Option(help: "The number of entries in the container (default: 10 for each worker).") var entries: Int?
    @Option(help: "The largest number of workers in the table.") var most = 1000
    @Option(help: "The number of processes for the simulated workers.") var procs = 2
    @Option(help: "The transport of the workers' links.") var transport = BenchOptions.Transport.ipc
    @Option(help: "The number of changes of one entry.") var changes = 20
    @Option(help: ArgumentHelp("How long to measure the idle host; 0 to skip.", valueName: "seconds"))
    var idle = 5.0
    @Flag(inversion: .prefixedNo, help: "Kill and restart the host.") var restart = true
    @Option(help: ArgumentHelp("The maximum time of one step.", valueName: "seconds")) var limit = 300.0
    @Flag(help: "Print JSON.") var json = false

    /// The maximum number of workers in a process: each link has two sockets, and each socket needs two descriptors.
    private static let workersPerProcess = 2000

    func validate() throws {
        guard (workers ?? 1) > 0, (sessions ?? 0) >= 0, (entries ?? 0) >= 0, changes >= 0, idle >= 0, limit > 0 else {
            throw ValidationError("the numbers must not be negative, and a run needs at least one worker")
        }
        guard workers != nil || (sessions == nil && entries == nil) else {
            throw ValidationError("--sessions and --entries need --workers; without it the table chooses them")
        }
        guard most >= 10 else { throw ValidationError("--most must be at least 10, not \(most)") }
        let most = workers ?? most
        guard procs > 0, most <= procs * Self.workersPerProcess else {
            throw ValidationError(
                "\(most) simulated workers need --procs \((most - 1) / Self.workersPerProcess + 1) or more")
        }
    }

    private static let keys = [
        "open_ms", "attach_ms", "sync_ms", "place_ms", "change_ms", "delta_bytes", "resync_ms", "detach_ms",
        "detach_processor_ms", "replace_ms", "longest_turn_ms", "rss_mb", "pss_mb",
        "idle_cpu_percent", "restart_host_ms", "restart_attach_ms", "restart_sync_ms", "restart_place_ms", "keys_lost",
        "sessions_lost", "states_lost", "scenes_too_many",
    ]

    func execute() async throws { try await BenchInterruption.run(measureAll) }

    @MainActor
    private func measureAll() async throws {
        guard let workers else { return try await table() }
        let size = ScaleRun.Size(workers: workers, sessions: sessions ?? workers * 10, entries: entries ?? workers * 10)
        let figures = try await measure(size)
        if json { return try printJSON(object(size, figures)) }
        printLine(line(size, figures))
    }

    @MainActor
    private func measure(
        _ size: ScaleRun.Size, measures: ScaleRun.Measures? = nil
    ) async throws -> [String: Double] {
        let measures = measures ?? ScaleRun.Measures(restart: restart, idleSeconds: idle, changes: changes)
        StandardError.write(
            "\(size.workers) workers, \(size.sessions) sessions, \(size.entries) entries")
        return try await ScaleRun(size, measures, transport, processes: procs, limit: .seconds(limit)).run()
    }

    private func object(_ size: ScaleRun.Size, _ figures: [String: Double]) -> [String: Double] {
        figures.merging([
            "workers": Double(size.workers), "sessions": Double(size.sessions), "entries": Double(size.entries),
        ]) { $1 }
    }

    private func line(_ size: ScaleRun.Size, _ figures: [String: Double]) -> String {
        "RESULT mode=scale workers=\(size.workers) sessions=\(size.sessions) entries=\(size.entries) "
            + Self.keys.compactMap { key in figures[key].map { "\(key)=\(Self.number($0))" } }.joined(separator: " ")
    }

    // MARK: - The table

    @MainActor
    private func table() async throws {
        let sizes = [10, 100, 1000, 10_000].filter { $0 <= most }
        var all: [(ScaleRun.Size, [String: Double])] = []
        for workers in sizes {
            let size = ScaleRun.Size(workers: workers, sessions: workers * 10, entries: workers * 10)
            let figures = try await measure(size)
            all.append((size, figures))
            StandardError.write(line(size, figures))
        }
        // The same workers with more and more entries: the cost of a change must not depend on the unchanged entries.
        var changed: [(ScaleRun.Size, [String: Double])] = []
        for entries in [10] + sizes.map({ $0 * 10 }) {
            let size = ScaleRun.Size(workers: 10, sessions: 0, entries: entries)
            let measures = ScaleRun.Measures(restart: false, idleSeconds: 0, changes: changes)
            changed.append((size, try await measure(size, measures: measures)))
        }
        if json { return try printJSON((all + changed).map { object($0.0, $0.1) }) }
        show(
            all, Self.keys,
            header: [
                "open ms", "attach ms", "sync ms", "place ms", "change ms", "delta B", "resync ms", "detach ms",
                "detach CPU ms", "replace ms", "longest turn ms", "RSS MB", "PSS MB", "idle CPU %",
                "host again ms", "attach again ms", "sync again ms", "place again ms", "keys lost", "sessions lost",
                "states lost",
                "scenes too many",
            ])
        printLine("")
        show(changed, ["sync_ms", "change_ms", "delta_bytes"], header: ["sync ms", "change ms", "delta B"])
    }

    /// Prints a row for each run, and below it the factors relative to the previous run.
    private func show(_ runs: [(ScaleRun.Size, [String: Double])], _ keys: [String], header: [String]) {
        var table = Table(["workers", "sessions", "entries"] + header)
        var before: [String: Double]?
        for (size, figures) in runs {
            let sizes = ["\(size.workers)", "\(size.sessions)", "\(size.entries)"]
            table.add(sizes + keys.map { key in figures[key].map(Self.number) ?? "" })
            if let before {
                table.add(
                    ["", "", ""]
                        + keys.map { key in
                            guard let old = before[key], old > 0, let new = figures[key] else { return "" }
                            return "x" + Self.number(new / old)
                        })
            }
            before = figures
        }
        table.print()
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : String(format: value < 10 ? "%.2f" : "%.1f", value)
    }
}
