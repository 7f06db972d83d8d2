import ChaosHistory
import NetworkLab

/// The faults of links.
extension FaultMaker {
    func machine(_ step: FaultPlan.Step) -> NetworkLab.Machine { run.lab.machines[step.target] }

    func cutLink(_ step: FaultPlan.Step) async throws {
        let machine = machine(step)
        begin(step, machines: [machine], "machine \(machine.number)")
        try await run.lab.cut(machine)
        await last(step)
        try await run.lab.mend(machine)
        mended(step)
    }

    func cutOneWay(_ step: FaultPlan.Step) async throws {
        let (host, machine) = (run.lab.machines[0], machine(step).number == 1 ? run.lab.machines[1] : machine(step))
        begin(
            step, machines: [machine],
            step.amount == 0 ? "to machine \(machine.number)" : "from machine \(machine.number)"
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

    func lose(_ step: FaultPlan.Step) async throws {
        try await impair(step, "%") { try await run.lab.lose(percent: $0, at: $1) }
    }

    func delay(_ step: FaultPlan.Step) async throws {
        try await impair(step, "ms") { try await run.lab.delay(milliseconds: $0, at: $1) }
    }

    /// Degrades a machine's link by the step's amount, and restores it at the end.
    private func impair(
        _ step: FaultPlan.Step, _ unit: String, by set: (_ amount: Int, NetworkLab.Machine) async throws -> Void
    ) async throws {
        let machine = machine(step)
        begin(step, machines: [machine], "\(step.amount) \(unit) at machine \(machine.number)")
        try await set(step.amount, machine)
        await last(step)
        try await set(0, machine)
        mended(step)
    }

    /// Cuts the links of enough machines at once to disconnect half of the workers.
    func cutRack(_ step: FaultPlan.Step) async throws {
        var rack: [NetworkLab.Machine] = []
        for machine in run.lab.machines.dropFirst().reversed() {
            rack.append(machine)
            if run.workers.count(where: { rack.contains($0.machine) }) * 2 >= run.workers.count { break }
        }
        begin(step, machines: rack, "machines " + rack.map { "\($0.number)" }.joined(separator: ", "))
        defer { mended(step) }
        for machine in rack { try await run.lab.cut(machine) }
        await last(step)
        for machine in rack { try await run.lab.mend(machine) }
    }

    /// Cuts one of the two flows between the host and all processes on another machine.
    func cutFlow(_ step: FaultPlan.Step, port: UInt16) async throws {
        let (host, machine, cut) = (run.lab.machines[0], machine(step), step.flowCut)
        let direction: NetworkLab.Direction =
            switch cut.direction {
            case .both: .both
            case .toHost: .toListener
            case .fromHost: .fromListener
            }
        begin(
            step, machines: [machine], sparesNew: cut.sparesNew,
            "machine \(machine.number), \(cut.direction.rawValue)\(cut.sparesNew ? ", not for new connections" : "")")
        defer { mended(step) }
        try await run.lab.cut(port: port, of: host, for: machine, direction, onlyOpen: cut.sparesNew)
        await last(step)
        try await run.lab.mend(port: port, of: host, for: machine)
    }
}
