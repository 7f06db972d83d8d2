import PeerLink
import OperatorKit
import ArgumentParser
import ChaosHistory
import Foundation
import NetworkLab
import UnixSignals

struct RunCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Makes machines, a host, plugins, workers and sessions, breaks them, and checks what was promised.",
        discussion: """
            It needs network namespaces: root, iproute2 and nftables. The same seed makes the same faults; the moments at \
            which they meet what is going on are the machine's. What was seen is kept in a folder when a promise was broken.

            EXAMPLES:
              deploy/chaos
              deploy/chaos --seconds 300 --hosts 5
              deploy/chaos --seed 42 --only killHost --only fullDisk
              deploy/chaos --json

            Exit codes: 0 every promise was kept, 1 one was broken, 2 wrong usage, 4 there can be no namespaces here.
            """)

    @Option(help: "For how long faults are made.")
    var seconds = 30
    @Option(help: "Makes the same faults again (default: a new one each time).")
    var seed: UInt64?
    @Option(help: "How many machines.")
    var hosts = 3
    @Option(help: "How many scene workers.")
    var workers = 6
    @Option(help: "How many sessions.")
    var sessions = 60
    @Option(
        help: ArgumentHelp(
            "Make only faults of this kind: \(FaultKind.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "kind"))
    var only: [FaultKind] = []
    @Flag(help: "Print JSON.")
    var json = false
    @Flag(help: "Keep what was seen also when every promise was kept.")
    var keep = false

    func validate() throws {
        guard (1...86_400).contains(seconds) else { throw ValidationError("--seconds is a number from 1 to 86400") }
        guard (2...5).contains(hosts) else { throw ValidationError("--hosts is a number from 2 to 5") }
        guard (1...100).contains(workers) else { throw ValidationError("--workers is a number from 1 to 100") }
        guard (1...2000).contains(sessions) else { throw ValidationError("--sessions is a number from 1 to 2000") }
    }

    func execute() async throws {
        if let obstacle = LabObstacle.here {
            throw CommandError(.refused, "\(obstacle)")
        }
        let seed = seed ?? UInt64.random(in: 0..<1_000_000)
        let population = FaultPlan.Population(machines: hosts, workers: workers, plugins: 2)
        let plan = FaultPlan(
            seed: seed, length: .seconds(seconds), population: population,
            kinds: only.isEmpty ? FaultKind.allCases : only)
        // A socket's address has 107 bytes: a folder for temporary files with a long name is too long.
        let temporary = FileManager.default.temporaryDirectory.path
        let folder = (temporary.utf8.count > 50 ? "/tmp" : temporary) + "/scenebus-chaos-\(getpid())"
        for part in ["log", "out"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(part)", withIntermediateDirectories: true)
        }
        let quiet = json
        let verdict: Verdict
        do {
            verdict = try await NetworkLab.with(machines: hosts) { lab in
                let interrupts = interrupts(lab)
                defer { interrupts.cancel() }
                let run = try await ChaosRun(
                    lab: lab, folder: folder, plan: plan, seed: seed, workers: workers, sessions: sessions
                ) { if !quiet { print($0) } }
                return try await run.run(for: .seconds(seconds)) {
                    await FaultMaker(run).make(plan, for: .seconds(seconds))
                }
            }
        } catch {
            StandardError.write("what was seen is in \(folder)")
            throw error
        }
        let isKept = keep || !verdict.isClean
        if !isKept { try? FileManager.default.removeItem(atPath: folder) }
        let replay =
            "deploy/chaos --seconds \(seconds) --seed \(seed) --hosts \(hosts) --workers \(workers) --sessions \(sessions)"
            + only.map { " --only \($0.rawValue)" }.joined()
        let report = ChaosReport(seed: seed, replay: replay, folder: isKept ? folder : nil, verdict: verdict)
        print(json ? try report.json() : report.table())
        fflush(nil)
        guard verdict.isClean else { throw ExitCode(ProcessExitCode.failure.rawValue) }
    }

    /// Ctrl-C leaves nothing running.
    private func interrupts(_ lab: NetworkLab) -> Task<Void, Never> {
        Task {
            for await signal in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
                await lab.remove()
                Glibc.exit(128 + signal.rawValue)
            }
        }
    }
}

extension FaultKind: ExpressibleByArgument {}
