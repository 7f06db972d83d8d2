import ChaosHistory
import Glibc
import NetworkLab

/// What is done to the host's disk and its clock.
extension FaultMaker {
    func fillDisk(_ step: FaultPlan.Step) async throws {
        begin(step)
        let path = "\(run.disk.files)/filler"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return mended(step) }
        var block = [UInt8](repeating: 0xff, count: 65_536)
        // Down to the last byte.
        while !block.isEmpty {
            if write(descriptor, block, block.count) < block.count { block.removeLast((block.count + 1) / 2) }
        }
        close(descriptor)
        await last(step)
        // A power cut may have come in between: until its disk is back nothing can be removed.
        while unlink(path) != 0, errno != ENOENT { try await Task.sleep(for: .milliseconds(50)) }
        // On the disk too: a power cut that follows would fill it again, for the rest of the run.
        let folder = open(run.disk.files, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        fsync(folder)
        close(folder)
        mended(step)
    }

    /// The host's process is gone in one moment, and with it everything that had not reached the disk.
    func cutPower(_ step: FaultPlan.Step) async {
        // Half of the cuts come right after the host has said that it has something: what is acknowledged is on the disk.
        if step.amount == 1 { _ = await run.client.openSession() }
        guard let pid = run.host.pid else { return }
        begin(step, pids: [pid])
        defer { mended(step) }
        run.host.kill(pause: step.length)
        // At once: what the system writes by and by counts as well.
        do {
            try run.disk.cutPower()
            run.host.repair = { [run] in
                do {
                    try await run.disk.restorePower()
                } catch {
                    run.say("the disk does not come back: \(error)")
                }
            }
        } catch {
            run.say("the power could not be cut: \(error)")
        }
        await last(step)
    }

    /// The host's time of day is wrong for a while.
    func jumpClock(_ step: FaultPlan.Step) async throws {
        begin(step, "by \(step.amount) s")
        defer { mended(step) }
        try run.setClock(wrongBy: step.amount)
        await last(step)
        try run.setClock(wrongBy: 0)
    }
}
