import LabClock
import Bus
import ChaosHistory
import Messaging
import Foundation
import PeerLink
import NetworkLab
import SystemPackage

/// A chaos run: starts the application, injects the planned faults, waits for the recovery, ends all processes, and
/// checks the records.
@MainActor
final class ChaosRun {
    static let port: UInt16 = 5570
    /// The name of the plugin that the host starts.
    static let warden = "warden"
    /// The name of the plugin that is a script, and whose program ignores everything.
    static let mule = "mule"

    let lab: NetworkLab
    let folder: String
    let plan: FaultPlan
    let disk: LabDisk
    let log: ChaosLog
    let host: ProcessPlace
    let workers: [ProcessPlace]
    let plugins: [ProcessPlace]
    let clients: [ProcessPlace]
    let say: @MainActor (String) -> Void
    private let seed: UInt64
    private let sessionCount: Int
    let client: ChaosClient
    /// The keys over TCP; `nil` for a run without keys.
    let keys: ChaosKeys?
    let sampler = ProcessorSampler()
    private lazy var observer = ChaosObserver(
        client: client, log: log, sampler: sampler, host: host, others: plugins + workers + clients)
    private(set) var descriptorsBefore: [String: Int] = [:]
    /// The sessions whose scenes the clients watch. Nobody closes them.
    private(set) var watched: [String] = []
    private static let watchedCount = 4

    var runtime: String { "\(folder)/run" }
    var store: String { "\(disk.files)/sessions.sqlite" }
    private var clock: String { "\(folder)/clock" }
    private var pluginFolder: String { "\(folder)/plugins" }
    var address: String { lab.machines[0].address }
    var places: [ProcessPlace] { [host] + plugins + workers + clients }

    init(
        lab: NetworkLab, folder: String, plan: FaultPlan, seed: UInt64, workers: Int, sessions: Int, hasKeys: Bool,
        say: @escaping @MainActor (String) -> Void
    ) async throws {
        self.lab = lab
        self.folder = folder
        self.plan = plan
        self.seed = seed
        self.say = say
        sessionCount = sessions
        let log = try ChaosLog(folder: "\(folder)/log", process: "chaos")
        self.log = log
        let disk = try await lab.makeDisk("store", megabytes: 8)
        self.disk = disk
        let machines = lab.machines
        let endpoint = "tcp://\(machines[0].address):\(Self.port)"
        keys =
            hasKeys
            ? try ChaosKeys(in: "\(folder)/keys", address: endpoint, workers: workers, clients: ChaosScreen.clientNames)
            : nil
        func place(_ role: String, _ name: String, on machine: Int, _ arguments: [String]) -> ProcessPlace {
            ProcessPlace(
                name, on: machines[machine % machines.count],
                [role, "--name", name, "--log", "\(folder)/log"] + arguments, log: log,
                output: "\(folder)/out/\(name).txt")
        }
        host = place(
            "host", "host", on: 0,
            [
                "--folder", "\(folder)/run", "--store", "\(disk.files)/sessions.sqlite", "--listen", endpoint,
                "--plugins", "\(folder)/plugins", "--clock", "\(folder)/clock",
            ])
        plugins = [
            place("ledger", "ledger", on: 0, ["--host", endpoint]),
            place("ticker", "ticker", on: 1, ["--host", endpoint]),
        ]
        // Enough capacity for all sessions even when two thirds of the workers are gone.
        let capacity = "\(max(2, sessions * 3 / workers + 12))"
        self.workers = (0..<workers).map {
            place("worker", "worker-\($0 + 1)", on: $0, ["--host", endpoint, "--capacity", capacity])
        }
        // On the first machine and on the last.
        clients = zip(ChaosScreen.clientNames, [0, machines.count - 1]).map { name, machine in
            place("client", name, on: machine, ["--host", endpoint])
        }
        host.pipe = try PausableOutput(path: "\(folder)/out/host.txt")
        client = ChaosClient(HostReference(local: HostDirectory(folder: "\(folder)/run").endpoint), log: log)
    }

    /// Performs the run.
    /// - Parameter breaking: injects the faults, and returns when the last fault has ended and the time is over.
    /// - Throws: ``ChaosError`` when the application cannot be started.
    func run(for length: Duration, breaking: @MainActor () async -> Void) async throws -> Verdict {
        do {
            try await setUp()
            say("injecting \(plan.steps.count) faults for \(length), seed \(seed)")
            let looking = Task { await self.observer.recordLinks() }
            let sampling = Task { await self.observer.recordWaits() }
            await breaking()
            await settle()
            for task in [looking, sampling] {
                task.cancel()
                await task.value
            }
        } catch {
            _ = await end()
            throw error
        }
        var look = await look()
        let time = MonotonicTime.nanoseconds
        look.leftProcesses = await end()
        host.pipe?.close()
        log.write(.final(look), at: time)
        return Checker.verdict(on: try ChaosLog.records(in: "\(folder)/log"))
    }

    // MARK: - Starting

    private func setUp() async throws {
        try setClock(wrongBy: 0)
        // The warden's script becomes its program; that of the mule stays, and both ignore the signals.
        try makePlugin(Self.warden, script: "exec")
        try makePlugin(Self.mule, script: "trap '' HUP INT TERM\n")
        host.start()
        client.start()
        try await wait(for: "the host") { await self.observer.links() != nil }
        for place in plugins + workers { place.start() }
        try await wait(for: "plugins and workers") { await self.isComplete() }
        await withTaskGroup { group in
            // Limited, so that the workers can start the scenes in time.
            for _ in 0..<8 {
                let work: @MainActor @Sendable () async -> Void = {
                    while self.opened < self.sessionCount {
                        self.opened += 1
                        if await self.client.openSession() == nil { self.opened -= 1 }
                    }
                }
                group.addTask(operation: work)
            }
        }
        try await wait(for: "scenes of all sessions") { await self.sessionsWithoutScene() == 0 }
        for place in [host] + plugins + workers { descriptorsBefore[place.name] = place.descriptors }
        try await wait(for: "the sessions to watch") {
            self.watched = Array((await self.client.look() ?? [:]).keys.sorted().prefix(Self.watchedCount))
            return !self.watched.isEmpty
        }
        for place in clients {
            place.arguments += watched.flatMap { ["--watch", $0] }
            place.start()
        }
        say(
            "\(lab.machines.count) machines, \(workers.count) workers, \(plugins.count) plugins, \(sessionCount) sessions"
        )
    }

    private var opened = 0

    /// Sets the shift of the host's time of day, in seconds. The host has the file mapped.
    func setClock(wrongBy seconds: Int) throws {
        let file = try FileDescriptor.open(
            FilePath(clock), .writeOnly, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
        try file.closeAfter {
            _ = try withUnsafeBytes(of: Int64(seconds)) { try file.writeAll(toAbsoluteOffset: 0, $0) }
        }
    }

    /// Creates the folder of a plugin that the host starts, which is a script.
    /// - Parameter script: what stands before the command that runs the program.
    private func makePlugin(_ id: String, script start: String) throws {
        let folder = "\(pluginFolder)/\(id)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let manifest = """
            {"id": "\(id)", "version": "1.0.0", "protocol": {"min": 1, "max": 1}, "executable": "run",
             "hangSeconds": 3}
            """
        try manifest.write(toFile: "\(folder)/plugin.json", atomically: false, encoding: .utf8)
        let script = """
            #!/bin/sh
            \(start) '\(ProcessPlace.executable)' \(id) --name "$SCENEBUS_PEER" --log '\(self.folder)/log' --host "$SCENEBUS_HOST"

            """
        try script.write(toFile: "\(folder)/run", atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: "\(folder)/run")
    }

    /// Polls until a condition holds.
    func wait(
        for what: String, within limit: Duration = .seconds(30), _ condition: @MainActor () async -> Bool
    ) async throws {
        let end = ContinuousClock.now + limit
        while await !condition() {
            guard ContinuousClock.now < end else { throw ChaosError("timed out after \(limit) waiting for \(what)") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    // MARK: - Observing

    /// Whether all running processes are attached. Compares process ids, because the host may still list processes that
    /// have ended.
    func isComplete() async -> Bool {
        let attached = Set(await attachedNames())
        return (plugins + workers + clients.filter(\.isStarted)).allSatisfy { attached.contains($0.name) }
    }

    /// The names of the places whose processes are attached.
    func attachedNames() async -> [String] {
        let links = await observer.links() ?? []
        return (plugins + workers + clients).filter { $0.pid.map(links.contains) ?? false }.map(\.name)
    }

    func sessionsWithoutScene() async -> Int {
        await client.look()?.values.count { !$0.isRunning } ?? .max
    }
}
