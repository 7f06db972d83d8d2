import LabClock
import OperatorKit
import ArgumentParser
import BenchMessages
import Bus
import CoordinatorKit
import Foundation
import PeerLink
import ZeroMQ

/// One run of `scenebus bench scale`.
///
/// Starts a host with a store, a provider of entries and simulated workers in separate processes, and takes the
/// measurements one after the other.
@MainActor
final class ScaleRun {
    /// The size of a run.
    struct Size: Hashable {
        var workers: Int
        var sessions: Int
        var entries: Int
    }

    /// The optional measurements, besides the times until all workers are in sync and all sessions have scenes.
    struct Measures {
        var restart = true
        /// How long to measure the idle host, in seconds; 0 to skip.
        var idleSeconds = 5.0
        /// The number of changes of one entry.
        var changes = 20
    }

    private let size: Size
    private let measures: Measures
    private let processes: Int
    private let limit: Duration
    private let transport: BenchOptions.Transport
    private var host: ScaleHost?
    private var provider: BenchProcess?
    private var fleets: [ScaleFleet] = []
    private var operatorClient: HostClient?
    private var providerState: [String: Double] = [:]
    private var longestTurn = 0.0
    private lazy var step = StepWait(limit) { [unowned self] in state }

    /// - Parameters:
    ///   - transport: that of the workers' links. The other peers are on the host's machine.
    ///   - processes: the number of processes for the simulated workers.
    ///   - limit: the maximum time of one step.
    init(_ size: Size, _ measures: Measures, _ transport: BenchOptions.Transport, processes: Int, limit: Duration) {
        self.size = size
        self.transport = transport
        self.measures = measures
        self.processes = min(processes, max(1, size.workers))
        self.limit = limit
    }

    /// Takes the measurements, and ends all processes that it has started.
    /// - Returns: the figures by name.
    func run() async throws -> [String: Double] {
        let folder = try PrivateFolder.makeTemporary("scenebus-bench")
        defer {
            operatorClient?.close()
            for fleet in fleets { fleet.process.finish() }
            provider?.finish()
            host?.end()
            try? FileManager.default.removeItem(atPath: folder)
        }
        return try await measure(try ScaleHost(in: folder, transport, workers: size.workers))
    }

    private func measure(_ host: ScaleHost) async throws -> [String: Double] {
        self.host = host
        try await host.start()
        try await startProvider(at: host.control)
        let client = try await HostClient(ClientOptions.parse(["--host", host.control, "--timeout", "3000"]))
        operatorClient = client
        var figures: [String: Double] = [:]
        if size.sessions > 0 { figures["open_ms"] = try await openSessions(client) }
        try await lookAtTurns(client, "opening")
        figures.merge(try await startWorkers(at: host.endpoint)) { $1 }
        try await lookAtTurns(client, "attaching")
        if measures.changes > 0, size.entries > 0 {
            figures.merge(try await changeEntries()) { $1 }
            figures["resync_ms"] = try await resync(client, at: host.control)
            try await lookAtTurns(client, "changing")
        }
        if size.sessions > 0, size.workers > 1 { figures.merge(try await loseWorkers(client)) { $1 } }
        if measures.idleSeconds > 0 { figures.merge(try await watchIdleHost()) { $1 } }
        if measures.restart {
            figures.merge(try await restart(host, client)) { $1 }
            try await lookAtTurns(client, "restarting")
        }
        figures["longest_turn_ms"] = longestTurn
        return figures
    }

    // MARK: - Setup

    private func startProvider(at endpoint: String) async throws {
        let provider = try await BenchProcess("scenebus-bench-peer", ["provider", endpoint, "\(size.entries)"])
        self.provider = provider
        provider.watch { [weak self] line in
            if let line { self?.providerState.merge(BenchProcess.figures(of: line)) { $1 } }
            self?.step.look()
        }
        try await step.until("the provider has published \(size.entries) entries") {
            self.providerState["entries"] != nil
        }
    }

    /// Opens the sessions as an operator, many at a time, before any worker runs.
    /// - Returns: the time in milliseconds.
    private func openSessions(_ client: HostClient) async throws -> Double {
        let start = MonotonicInstant.now
        let (total, atATime) = (size.sessions, min(size.sessions, 64))
        var opened = 0
        var begun = 0
        let open: @MainActor @Sendable () async throws -> Void = {
            while begun < total {
                begun += 1
                _ = try await client.chain.hostOpenSession(
                    configuration: "Bench", role: SceneSession.Role.windowApplication.rawValue, link: nil, session: nil)
                opened += 1
            }
        }
        let progress = Progress { "\(opened) of \(total) sessions opened" }
        defer { progress.end() }
        try await withThrowingTaskGroup { group in
            for _ in 0..<atATime { group.addTask(operation: open) }
            try await group.waitForAll()
        }
        return milliseconds(since: start)
    }

    private func startWorkers(at endpoint: String) async throws -> [String: Double] {
        // Slightly more than needed, because the next scene goes to a worker with free capacity.
        let capacity = size.sessions / max(1, size.workers) + 1
        let start = MonotonicTime.nanoseconds
        var first = 0
        for number in 0..<processes {
            let count = size.workers / processes + (number < size.workers % processes ? 1 : 0)
            let process = try await BenchProcess(
                "scenebus-bench-peer", ["workers", endpoint] + [first, count, capacity, size.entries].map(String.init))
            first += count
            let fleet = ScaleFleet(process, workers: count)
            fleets.append(fleet)
            process.watch { [weak self, weak fleet] line in
                guard let self, let fleet else { return }
                guard let line else {
                    return step.failed("the simulated workers ended too early; see their messages above")
                }
                let figures = BenchProcess.figures(of: line)
                if let round = figures["round"], let longest = figures["longest_ns"] {
                    fleet.changes[Int(round)] = longest
                } else {
                    fleet.state = figures
                }
                step.look()
            }
        }
        try await untilInSync(after: 0)
        return fleets.times(since: start, prefix: "", withScenes: size.sessions > 0)
    }

    // MARK: - In sync

    private var state: String {
        "\(fleets.sum("ready")) of \(size.workers) attached, \(fleets.sum("complete")) complete, "
            + "\(fleets.sum("scenes")) of \(size.sessions) scenes"
    }

    /// Waits until every worker is attached in a later epoch of the host than the given one, every copy of the
    /// container is complete, and every session has its scene.
    private func untilInSync(after epoch: Double) async throws {
        try await step.until("every worker is in sync") { [self] in
            fleets.areInSync(after: epoch) && fleets.sum("scenes") >= size.sessions
        }
    }

    // MARK: - Measures

    /// Changes one entry at a time, and waits until every worker has it.
    private func changeEntries() async throws -> [String: Double] {
        var times: [Double] = []
        for round in 1...measures.changes {
            providerState["bytes"] = nil
            try provider?.send("\(round)")
            try await step.until("every worker has change \(round)") { [self] in
                providerState["bytes"] != nil && fleets.allSatisfy { $0.changes[round] != nil }
            }
            times.append((fleets.compactMap { $0.changes[round] }.max() ?? 0) / 1e6)
        }
        return ["change_ms": median(times), "delta_bytes": providerState["bytes"] ?? 0]
    }

    /// Requests the changes since the last but one revision, like a peer that has missed a change.
    /// - Returns: the time until the answer is complete, in milliseconds; the median of several requests.
    private func resync(_ client: HostClient, at endpoint: String) async throws -> Double {
        let revision = try await client.chain.hostStatus().revision
        let probe = try ResyncProbe(endpoint)
        defer { probe.close() }
        try await probe.attach()
        var times: [Double] = []
        for _ in 0..<measures.changes {
            let start = MonotonicInstant.now
            try await probe.resync(after: revision - 1)
            times.append(milliseconds(since: start))
        }
        return median(times)
    }

    /// Measures the loss of many workers at once, and their replacement by new ones.
    private func loseWorkers(_ client: HostClient) async throws -> [String: Double] {
        guard let fleet = fleets.first else { return [:] }
        let count = min(50, fleet.workers / 2, size.workers - 1)
        guard count > 0 else { return [:] }
        let before = try await client.chain.hostStatus().linkCount
        _ = try await client.chain.benchTurns()
        let ready = fleets.sum("ready")
        let start = MonotonicInstant.now
        try fleet.process.send("leave \(count)")
        while try await client.chain.hostStatus().linkCount > before - count {
            guard MonotonicInstant.now - start < limit else {
                throw CommandError(.failure, "timed out after \(limit) while waiting until \(count) workers are gone")
            }
        }
        let turns = try await lookAtTurns(client, "losing workers")
        try await step.until("\(count) workers are gone") { self.fleets.sum("ready") <= ready - count }
        try fleet.process.send("return")
        try await untilInSync(after: 0)
        let time = milliseconds(since: start)
        try await lookAtTurns(client, "placing their sessions")
        return ["detach_ms": turns.longest, "detach_processor_ms": turns.processor, "replace_ms": time]
    }

    /// Records the durations of the turns of the host's loop since the last call.
    @discardableResult
    private func lookAtTurns(_ client: HostClient, _ what: String) async throws -> BenchTurns {
        let turns = try await client.chain.benchTurns()
        longestTurn = max(longestTurn, turns.longest)
        StandardError.write(
            "\(what): the host's longest turn took \(Int(turns.longest)) ms, \(Int(turns.longestProcessor)) ms of "
                + "processor time; all turns took \(Int(turns.processor)) ms")
        return turns
    }

    private func watchIdleHost() async throws -> [String: Double] {
        guard let pid = host?.pid else { return [:] }
        let progress = Progress { "watching the idle host" }
        defer { progress.end() }
        let start = MonotonicInstant.now
        let before = ProcessUse.processorSeconds(of: pid)
        // The sleep is the period of the measurement.
        try await Task.sleep(for: .seconds(measures.idleSeconds))
        let used = ProcessUse.processorSeconds(of: pid) - before
        let memory = ProcessUse.memory(of: pid)
        return [
            "idle_cpu_percent": used * 100 / ((MonotonicInstant.now - start) / .seconds(1)),
            "rss_mb": Double(memory.rss) / 1e6, "pss_mb": Double(memory.pss) / 1e6,
        ]
    }

    /// Kills the host, restarts it with the same store and address, and counts what was lost.
    private func restart(_ host: ScaleHost, _ client: HostClient) async throws -> [String: Double] {
        let before = Set(try await client.chain.hostSessions().map(\.session))
        let epoch = fleets.compactMap { $0.state["epoch"] }.max() ?? 0
        let start = MonotonicTime.nanoseconds
        host.kill()
        try await host.start()
        let started = MonotonicTime.nanoseconds
        try await untilInSync(after: epoch)
        var figures = fleets.times(since: start, prefix: "restart_", withScenes: size.sessions > 0)
        figures["restart_host_ms"] = Double(started - start) / 1e6
        // A lost session would have no scene, and the wait would not have ended. These figures also reveal a session
        // with a changed name or with two scenes.
        let after = try await client.chain.hostSessions()
        figures["sessions_lost"] = Double(
            before.subtracting(after.filter { $0.worker != nil }.map(\.session)).count)
        figures["scenes_too_many"] = Double(fleets.sum("scenes") - size.sessions)
        figures["states_lost"] = Double(size.sessions - fleets.sum("restored"))
        let keys = Set(try await client.chain.hostDependencies().map(\.key))
        figures["keys_lost"] = Double((0..<size.entries).count { !keys.contains(ScaleEntry.key($0)) })
        return figures
    }

    private func milliseconds(since start: MonotonicInstant) -> Double {
        (MonotonicInstant.now - start) / .milliseconds(1)
    }
}
