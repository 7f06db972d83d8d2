import PeerLink
import OperatorKit
import ArgumentParser
import ChaosHistory
import Foundation
import Messaging
import NetworkLab
import Synchronization
import UnixSignals

struct RunCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Starts an application on several machines, injects faults, and checks its guarantees.",
        discussion: """
            Starts a host, plugins, workers and sessions on machines made of network namespaces, which need root, \
            iproute2 and nftables. The same seed makes the same faults, but their effects depend on the timing of the \
            machine. When a guarantee was violated, the records are kept in a folder.

            EXAMPLES:
              deploy/chaos
              deploy/chaos --seconds 300 --hosts 5
              deploy/chaos --seed 42 --only killHost --only fullDisk
              deploy/chaos --json

            Exit codes: 0 all guarantees were kept, 1 one was violated, 2 wrong usage, 4 no network namespaces.
            """)

    @Option(help: "How long to inject faults, in seconds.")
    var seconds = 30
    @Option(help: "The seed of the faults, to repeat an earlier run (default: a new seed each time).")
    var seed: UInt64?
    @Option(help: "The number of machines.")
    var hosts = 3
    @Option(help: "The number of scene workers.")
    var workers = 6
    @Option(help: "The number of sessions.")
    var sessions = 60
    @Option(
        help: ArgumentHelp(
            "Inject only faults of this kind: \(FaultKind.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "kind"))
    var only: [FaultKind] = []
    @Flag(help: "Use no keys over TCP. The faults of keys are left out then.")
    var insecure = false
    @Flag(help: "Print JSON.")
    var json = false
    @Flag(help: "Keep the records even if all guarantees were kept.")
    var keep = false

    func validate() throws {
        guard (1...86_400).contains(seconds) else { throw ValidationError("--seconds must be from 1 to 86400") }
        guard (2...5).contains(hosts) else { throw ValidationError("--hosts must be from 2 to 5") }
        guard (1...100).contains(workers) else { throw ValidationError("--workers must be from 1 to 100") }
        guard (1...2000).contains(sessions) else { throw ValidationError("--sessions must be from 1 to 2000") }
    }

    func execute() async throws {
        if let obstacle = LabObstacle.here {
            throw CommandError(.refused, "\(obstacle)")
        }
        let seed = seed ?? UInt64.random(in: 0..<1_000_000)
        let population = FaultPlan.Population(machines: hosts, workers: workers, plugins: 2)
        let plan = FaultPlan(
            seed: seed, length: .seconds(seconds), population: population,
            kinds: (only.isEmpty ? FaultKind.allCases : only).filter { !insecure || !$0.needsKeys })
        let folder = try PrivateFolder.makeTemporary("scenebus-chaos")
        for part in ["log", "out"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(part)", withIntermediateDirectories: true)
        }
        let quiet = json
        let verdict: Verdict
        do {
            verdict = try await NetworkLab.with(machines: hosts) { lab in
                let interrupts = interrupts(lab, folder: folder)
                defer { interrupts.cancel() }
                // When a signal has ended the processes, the run fails. The handler of the signal ends this one.
                func leaveToHandler() async {
                    if isInterrupted.load(ordering: .acquiring) { await interrupts.value }
                }
                do {
                    let run = try await ChaosRun(
                        lab: lab, folder: folder, plan: plan, seed: seed, workers: workers, sessions: sessions,
                        hasKeys: !insecure
                    ) { if !quiet { printLine($0) } }
                    let verdict = try await run.run(for: .seconds(seconds)) {
                        await FaultMaker(run).make(plan, for: .seconds(seconds))
                    }
                    await leaveToHandler()
                    return verdict
                } catch {
                    await leaveToHandler()
                    throw error
                }
            }
        } catch {
            StandardError.write("the records are in \(folder)")
            throw error
        }
        let isKept = keep || !verdict.isClean
        if !isKept { try? FileManager.default.removeItem(atPath: folder) }
        let replay =
            "deploy/chaos --seconds \(seconds) --seed \(seed) --hosts \(hosts) --workers \(workers) --sessions \(sessions)"
            + only.map { " --only \($0.rawValue)" }.joined() + (insecure ? " --insecure" : "")
        let report = ChaosReport(seed: seed, replay: replay, folder: isKept ? folder : nil, verdict: verdict)
        printLines(json ? try report.json() : report.table())
        flushOutput()
        guard verdict.isClean else { throw ExitCode(ProcessExitCode.failure.rawValue) }
    }

    /// Ends all processes at a signal, and removes their records unless they are to be kept.
    private func interrupts(_ lab: NetworkLab, folder: String) -> Task<Void, Never> {
        Task {
            for await signal in await UnixSignalsSequence(trapping: EndingSignals.all) {
                isInterrupted.store(true, ordering: .releasing)
                await lab.remove()
                if keep {
                    StandardError.write("the records are in \(folder)")
                } else {
                    try? FileManager.default.removeItem(atPath: folder)
                }
                Glibc.exit(128 + signal.rawValue)
            }
        }
    }
}

/// Whether a signal has come.
private let isInterrupted = Atomic<Bool>(false)

extension FaultKind: ExpressibleByArgument {}
