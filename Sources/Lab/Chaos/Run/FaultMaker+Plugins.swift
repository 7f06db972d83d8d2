import Bus
import ChaosHistory
import Glibc
import NetworkLab

/// The faults of scenes, plugins, connections and outputs.
extension FaultMaker {
    /// The number of workers that one scene may crash before it is isolated. Other scenes are in use all the time, so
    /// the second crash may not show which one it was.
    private static let crashes = 3

    /// Opens a session whose scene crashes its worker each time it is used. After the third crash it must be isolated,
    /// so that it does not take other sessions along.
    func crashScene(_ step: FaultPlan.Step) async {
        guard let session = await run.client.openSession() else {
            return run.say("fault \(step.number) (\(step.kind.title)) could not be injected: no session was opened")
        }
        begin(step, session)
        let end = ContinuousClock.now + step.length
        var crashed: Set<Int32> = []
        // The crashes of which a host can know: one that ends before it has noticed a crash takes it along.
        var (known, hostOfLast) = (0, Int32?.none)
        while ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(100))
            guard let placements = await run.client.look(), let placement = placements[session], placement.isRunning,
                let place = run.workers.first(where: { $0.name == placement.worker }), let pid = place.pid,
                !crashed.contains(pid),
                // The host may not have noticed yet that the worker's former process is gone.
                await linkedPid(of: place.name) == pid
            else { continue }
            if let host = hostOfLast, host == run.host.pid { known += 1 }
            hostOfLast = nil
            let host = run.host.pid
            // The checker takes each crash for a fault of its own.
            let number = FaultPlan.number(ofCrash: crashed.count, in: step)
            let hasOthers = placements.contains { $0.key != session && $0.value.worker == place.name }
            run.log.write(.fault(FaultRecord(number: number, kind: .crashScene, pids: [pid])))
            _ = await run.client.control(within: .seconds(2)) {
                try await $0.hostSceneAct(session: session, action: ChaosScreen.crash, fields: [:])
            }
            // The end of the process is noticed a little later.
            let limit = ContinuousClock.now + .seconds(2)
            while place.pid == pid, ContinuousClock.now < limit { try? await Task.sleep(for: .milliseconds(20)) }
            run.log.write(.mended(number: number))
            // Another fault may have killed it before it was asked.
            guard place.crashedPid == pid else { continue }
            crashed.insert(pid)
            hostOfLast = host
            if known >= Self.crashes, hasOthers {
                run.log.write(
                    .broke(
                        promise: .notIsolated,
                        detail: "session \(session) has crashed \(crashed.count) workers with other sessions"))
                break
            }
        }
        run.log.write(.closing(session: session))
        while await run.client.control({ try await $0.hostCloseSession(session: session) }) == nil,
            ContinuousClock.now < end + .seconds(3)
        { try? await Task.sleep(for: .milliseconds(100)) }
        mended(step)
    }

    /// Kills the shell of a plugin that is a script. The host must end the program that the shell has started, although
    /// it ignores the signals and the end of its input, and start the plugin again.
    func endLeader(_ step: FaultPlan.Step) async {
        let host = run.host.pid
        guard let leader = await attachedPid(of: ChaosRun.mule), let program = await linkedPid(of: ChaosRun.mule) else {
            return run.say("fault \(step.number) (\(step.kind.title)) could not be injected: it is not attached")
        }
        begin(step, pids: [leader, program], "process \(leader) with its program \(program)")
        Glibc.kill(leader, SIGTERM)
        Glibc.kill(leader, SIGKILL)
        await expectSuccessor(of: program, host: host, step) { await self.linkedPid(of: ChaosRun.mule) }
        mended(step)
    }

    /// The process that is attached under a name.
    private func linkedPid(of peer: String) async -> Int32? {
        await run.client.control { try await $0.hostLinks() }?.first { $0.peer == peer }?.pid
    }

    /// Opens more connections that say nothing than the host may have descriptors, and ends a plugin meanwhile. The host
    /// must have what it needs to start the plugin, and a place for it to attach.
    func connectSilently(_ step: FaultPlan.Step) async {
        let host = run.host.pid
        guard let pid = await attachedPid(of: ChaosRun.warden) else {
            return run.say("fault \(step.number) (\(step.kind.title)) could not be injected: the host runs no plugin")
        }
        let place = place(
            step, step.kind.rawValue, ["silent", "--address", run.address, "--port", "\(ChaosRun.port)"])
        begin(step, pids: [pid])
        place.start()
        // Some time for the connections. If the plugin is ended before, the fault is only less hard.
        try? await Task.sleep(for: .seconds(1))
        Glibc.kill(pid, SIGKILL)
        await expectSuccessor(of: pid, host: host, step) { await self.attachedPid(of: ChaosRun.warden) }
        _ = await place.end(within: .zero)
        mended(step)
    }

    /// Stops reading the host's output, while peers attach and detach, which the host logs.
    func stopReadingLog(_ step: FaultPlan.Step) async {
        let visitor = place(step, "visitor", ["visitor", "--host", "tcp://\(run.address):\(ChaosRun.port)"])
        begin(step)
        run.host.pipe?.pause()
        visitor.start()
        await last(step)
        _ = await visitor.end(within: .zero)
        run.host.pipe?.resume()
        mended(step)
    }
}
