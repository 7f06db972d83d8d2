import Bus
import ChaosHistory
import CoordinatorKit
import Foundation
import NetworkLab

/// Makes the faults of a plan, and mends them.
@MainActor
final class FaultMaker {
    private let run: ChaosRun

    init(_ run: ChaosRun) {
        self.run = run
    }

    /// Makes all faults; returns when the last one is mended and the time is over.
    func make(_ plan: FaultPlan, for length: Duration) async {
        let start = ContinuousClock.now
        await withTaskGroup { group in
            for step in plan.steps {
                let work: @MainActor @Sendable () async -> Void = {
                    try? await Task.sleep(until: start + step.at)
                    await self.make(step)
                }
                group.addTask(operation: work)
            }
        }
        try? await Task.sleep(until: start + length)
    }

    private func make(_ step: FaultPlan.Step) async {
        do {
            switch step.kind {
            case .killWorker: await kill(run.workers[step.target], step)
            case .killPlugin: await kill(run.plugins[step.target], step)
            case .killHost: await kill(run.host, step)
            case .stopWorker: await stop(run.workers[step.target], step)
            case .stopPlugin: await stop(run.plugins[step.target], step)
            case .stopHost: await stop(run.host, step)
            case .cutLink: try await cutLink(step)
            case .cutOneWay: try await cutOneWay(step)
            case .loss: try await lose(step)
            case .delay: try await delay(step)
            case .deafSubscriber:
                await accompany(step, ["deaf", "--publisher", "tcp://\(run.address):\(ChaosRun.port + 1)"])
            case .garbage:
                await accompany(
                    step,
                    [
                        "garbage", "--seed", "\(step.number)", "--address", run.address, "--port", "\(ChaosRun.port)",
                        "--path", "\(run.runtime)/bus", "--path", "\(run.runtime)/pub",
                    ])
            case .fullDisk: try await fillDisk(step)
            case .drainWorker: await drain(run.workers[step.target], step)
            }
        } catch {
            run.say("fault \(step.number) (\(step.kind.title)) could not be made: \(error)")
        }
    }

    private func begin(
        _ step: FaultPlan.Step, pid: Int32? = nil, machine: NetworkLab.Machine? = nil, _ what: String = ""
    ) {
        func seconds(_ time: Duration) -> String {
            time.formatted(.units(allowed: [.seconds], width: .narrow, fractionalPart: .show(length: 1)))
        }
        let place = what.isEmpty ? "" : ": \(what)"
        run.say("  \(seconds(step.at)) \(step.kind.title)\(place), for \(seconds(step.length))")
        run.log.write(.fault(FaultRecord(number: step.number, kind: step.kind, pid: pid, machine: machine?.number)))
    }

    private func mended(_ step: FaultPlan.Step) { run.log.write(.mended(number: step.number)) }

    private func last(_ step: FaultPlan.Step) async { try? await Task.sleep(for: step.length) }

    // MARK: - Processes

    private func kill(_ place: ProcessPlace, _ step: FaultPlan.Step) async {
        guard let pid = place.pid else { return }
        begin(step, pid: pid, place.name)
        place.kill(pause: step.length)
        await last(step)
        mended(step)
    }

    private func stop(_ place: ProcessPlace, _ step: FaultPlan.Step) async {
        guard let pid = place.pid else { return }
        begin(step, pid: pid, place.name)
        Glibc.kill(pid, SIGSTOP)
        await last(step)
        // It may have been killed meanwhile; its number is not another's so soon.
        Glibc.kill(pid, SIGCONT)
        mended(step)
    }

    private func drain(_ place: ProcessPlace, _ step: FaultPlan.Step) async {
        begin(step, pid: place.pid, place.name)
        _ = await run.client.control { try await $0.hostDrain(worker: place.name, isDraining: true) }
        await last(step)
        _ = await run.client.control { try await $0.hostDrain(worker: place.name, isDraining: false) }
        mended(step)
    }

    /// Runs another process on the first machine for as long as the fault lasts.
    private func accompany(_ step: FaultPlan.Step, _ arguments: [String]) async {
        let place = ProcessPlace(
            "\(step.kind.rawValue)-\(step.number)", on: run.lab.machines[0], arguments, log: run.log,
            output: "\(run.folder)/out/\(step.kind.rawValue).txt")
        begin(step)
        place.start()
        await last(step)
        _ = await place.end(within: .zero)
        mended(step)
    }

    // MARK: - Links

    private func machine(_ step: FaultPlan.Step) -> NetworkLab.Machine { run.lab.machines[step.target] }

    private func cutLink(_ step: FaultPlan.Step) async throws {
        let machine = machine(step)
        begin(step, machine: machine, "machine \(machine.number)")
        try await run.lab.cut(machine)
        await last(step)
        try await run.lab.mend(machine)
        mended(step)
    }

    private func cutOneWay(_ step: FaultPlan.Step) async throws {
        let (host, machine) = (run.lab.machines[0], machine(step).number == 1 ? run.lab.machines[1] : machine(step))
        begin(
            step, machine: machine, step.amount == 0 ? "to machine \(machine.number)" : "from machine \(machine.number)"
        )
        if step.amount == 0 {
            try await run.lab.cut(from: host, to: machine)
        } else {
            try await run.lab.cut(from: machine, to: host)
        }
        await last(step)
        try await run.lab.mend(between: host, and: machine)
        mended(step)
    }

    private func lose(_ step: FaultPlan.Step) async throws {
        let machine = machine(step)
        begin(step, machine: machine, "\(step.amount) % at machine \(machine.number)")
        try await run.lab.lose(percent: step.amount, at: machine)
        await last(step)
        try await run.lab.lose(percent: 0, at: machine)
        mended(step)
    }

    private func delay(_ step: FaultPlan.Step) async throws {
        let machine = machine(step)
        begin(step, machine: machine, "\(step.amount) ms at machine \(machine.number)")
        try await run.lab.delay(milliseconds: step.amount, at: machine)
        await last(step)
        try await run.lab.delay(milliseconds: 0, at: machine)
        mended(step)
    }

    // MARK: - The disk

    private func fillDisk(_ step: FaultPlan.Step) async throws {
        begin(step)
        let path = "\(run.disk)/filler"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return mended(step) }
        var block = [UInt8](repeating: 0xff, count: 65_536)
        // Down to the last byte.
        while !block.isEmpty {
            if write(descriptor, block, block.count) < block.count { block.removeLast((block.count + 1) / 2) }
        }
        close(descriptor)
        await last(step)
        unlink(path)
        mended(step)
    }
}
