import Bus
import ChaosHistory
import Glibc
import NetworkLab

/// The faults of processes.
extension FaultMaker {
    func kill(_ place: ProcessPlace, _ step: FaultPlan.Step) async {
        guard let pid = place.pid else { return }
        begin(step, pids: [pid], place.name)
        place.kill(pause: step.length)
        await last(step)
        mended(step)
    }

    func stop(_ place: ProcessPlace, _ step: FaultPlan.Step) async {
        guard let pid = place.pid else { return }
        begin(step, pids: [pid], place.name)
        Glibc.kill(pid, SIGSTOP)
        await last(step)
        // The process may have been killed meanwhile. Its id is not reused so soon.
        Glibc.kill(pid, SIGCONT)
        mended(step)
    }

    func drain(_ place: ProcessPlace, _ step: FaultPlan.Step) async {
        begin(step, pids: place.pid.map { [$0] } ?? [], place.name)
        _ = await run.client.control { try await $0.hostDrain(worker: place.name, isDraining: true) }
        await last(step)
        _ = await run.client.control { try await $0.hostDrain(worker: place.name, isDraining: false) }
        mended(step)
    }

    /// Kills every second worker at once.
    func killRack(_ step: FaultPlan.Step) async {
        let rack = run.workers.enumerated().filter { $0.offset % 2 == step.target && $0.element.pid != nil }
            .map(\.element)
        begin(step, pids: rack.compactMap(\.pid), rack.map(\.name).joined(separator: ", "))
        for place in rack { place.kill(pause: step.length) }
        await last(step)
        mended(step)
    }

    /// Stops a process without continuing it. The process that started it must detect that.
    func hang(_ place: ProcessPlace, _ step: FaultPlan.Step) async {
        guard let pid = place.pid else { return }
        begin(step, pids: [pid], place.name)
        Glibc.kill(pid, SIGSTOP)
        await last(step)
        if place.pid == pid { place.kill(pause: .zero) }
        mended(step)
    }

    /// Stops a process that the host has started. The host must detect that, kill it, and start another.
    func hangWarden(_ step: FaultPlan.Step) async {
        let host = run.host.pid
        guard let pid = await wardenPid() else {
            return run.say("fault \(step.number) (\(step.kind.title)) could not be injected: the host runs none")
        }
        begin(step, pids: [pid], "process \(pid)")
        Glibc.kill(pid, SIGSTOP)
        await expectSuccessor(of: pid, host: host, step) { await self.wardenPid() }
        Glibc.kill(pid, SIGKILL)
        mended(step)
    }

    /// Waits until the host has replaced a process that it has started, and checks that the former one has ended.
    /// - Parameters:
    ///   - host: the host's process when the fault began.
    ///   - current: the process that is attached now.
    func expectSuccessor(
        of pid: Int32, host: Int32?, _ step: FaultPlan.Step, _ current: @MainActor () async -> Int32?
    ) async {
        let waits = run.sampler.total
        let end = ContinuousClock.now + step.length
        var successor: Int32?
        while successor == nil, ContinuousClock.now < end + .nanoseconds(run.sampler.total - waits) {
            try? await Task.sleep(for: .milliseconds(250))
            if let now = await current(), now != pid { successor = now }
        }
        // The fault proves nothing if the end of the run shortens it, or if its host has ended: a power cut comes later
        // than planned when the host responds slowly, and the next host does not know this process.
        if run.host.pid != host {
            run.say("fault \(step.number) (\(step.kind.title)) proves nothing: its host has ended")
        } else if successor == nil, step.length >= .seconds(10) {
            run.log.write(
                .broke(
                    promise: .notReplaced,
                    detail:
                        "process \(pid), which the host has started, is not replaced for \(step.length): \(step.kind.title)"
                ))
        } else if successor != nil, ProcFile.runs(pid) {
            run.log.write(
                .broke(
                    promise: .leaked,
                    detail: "process \(pid), which the host has started and replaced, still runs"))
        }
    }

    /// The attached process of the plugin that the host has started.
    private func wardenPid() async -> Int32? { await attachedPid(of: ChaosRun.warden) }

    /// The leader of the process group of a plugin that the host has started, when the plugin is attached.
    func attachedPid(of plugin: String) async -> Int32? {
        let plugins = await run.client.control { try await $0.hostPlugins() }
        return plugins?.first { $0.id == plugin && $0.state == .attached }?.pid
    }

    /// Starts a second host on the store of the running one, with its own worker. It must be refused.
    func startSecondHost(_ step: FaultPlan.Step) async {
        // While no other host runs, the second host would not be refused.
        guard await run.client.control({ try await $0.hostStatus() }) != nil else {
            return run.say("fault \(step.number) (\(step.kind.title)) could not be injected: the host does not answer")
        }
        begin(step)
        let endpoint = "tcp://\(run.address):\(ChaosRun.port + 10)"
        let second = place(
            step, "second-host",
            [
                "host", "--folder", "\(run.folder)/second", "--store", run.store, "--listen", endpoint, "--log",
                "\(run.folder)/log", "--name", "second-host",
            ])
        let worker = place(
            step, "second-worker",
            [
                "worker", "--host", endpoint, "--capacity", "1000", "--log", "\(run.folder)/log", "--name",
                "second-worker",
            ])
        second.start(once: true)
        worker.start()
        let waits = run.sampler.total
        var isRefused = await second.hasEnded(within: step.length)
        if !isRefused { isRefused = await second.hasEnded(within: .nanoseconds(run.sampler.total - waits)) }
        // On a busy machine a host may be refused late.
        if !isRefused, step.length >= .seconds(5) {
            run.log.write(
                .broke(
                    promise: .secondHost,
                    detail: "process \(second.pid ?? 0) has run as a second host on the store for \(step.length)"))
        }
        _ = await worker.end(within: .zero)
        _ = await second.end(within: .zero)
        mended(step)
    }

    /// Runs an additional process on the first machine for the duration of the fault.
    func accompany(_ step: FaultPlan.Step, _ arguments: [String], _ what: String = "") async {
        let place = place(step, step.kind.rawValue, arguments)
        begin(step, what)
        place.start()
        await last(step)
        _ = await place.end(within: .zero)
        mended(step)
    }

    /// - Parameter machine: `nil` for the host's.
    func place(
        _ step: FaultPlan.Step, _ name: String, on machine: NetworkLab.Machine? = nil, _ arguments: [String]
    ) -> ProcessPlace {
        ProcessPlace(
            "\(name)-\(step.number)", on: machine ?? run.lab.machines[0], arguments, log: run.log,
            output: "\(run.folder)/out/\(name).txt")
    }
}
