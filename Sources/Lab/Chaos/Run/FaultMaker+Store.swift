import Bus
import ChaosHistory
import Glibc
import NetworkLab
import PeerLink

/// The faults of the host's disk and clock.
extension FaultMaker {
    func fillDisk(_ step: FaultPlan.Step) async throws {
        // The plan keeps the faults apart, but on a busy machine the end of a host and its next start may take longer. A
        // host that starts on a full disk ends with an error.
        guard await run.client.control(within: .milliseconds(500), { try await $0.hostStatus() }) != nil else {
            return run.say("fault \(step.number) (\(step.kind.title)) is left out: no host is running")
        }
        isDiskFull = true
        defer { isDiskFull = false }
        begin(step)
        let path = "\(run.disk.files)/filler"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return mended(step) }
        var block = [UInt8](repeating: 0xff, count: 65_536)
        // Fill it to the last byte.
        while !block.isEmpty {
            if write(descriptor, block, block.count) < block.count { block.removeLast((block.count + 1) / 2) }
        }
        close(descriptor)
        await last(step)
        // After a power cut in between, the file cannot be removed until the disk is restored.
        while unlink(path) != 0, errno != ENOENT { try await Task.sleep(for: .milliseconds(50)) }
        // Sync the removal: otherwise a later power cut would restore the file and fill the disk for the rest of the
        // run.
        PrivateFolder.syncFolder(of: path)
        mended(step)
    }

    /// Kills the host and discards everything that has not reached the disk.
    func cutPower(_ step: FaultPlan.Step) async {
        // Half of the cuts follow directly after an acknowledgement of the host, because acknowledged data must be on
        // the disk.
        if step.amount == 1 { _ = await run.client.openSession() }
        // For the same reason, the disk may be full by now. What is not written then is lost legitimately.
        guard !isDiskFull, let pid = run.host.pid else {
            return run.say(
                "fault \(step.number) (\(step.kind.title)) is left out: the disk is full, or no host is running")
        }
        begin(step, pids: [pid])
        defer { mended(step) }
        run.host.kill(pause: step.length)
        // Cut the power at once, because the system also writes dirty data in the background.
        do {
            try run.disk.cutPower()
            run.host.repair = { [run] in
                do {
                    try await run.disk.restorePower()
                } catch {
                    run.say("the disk could not be restored: \(error)")
                }
            }
        } catch {
            run.say("the power could not be cut: \(error)")
        }
        await last(step)
        // On a busy disk this takes seconds, in which there is no host.
        while run.host.awaitsRepair { try? await Task.sleep(for: .milliseconds(20)) }
    }

    /// Removes the store's files while the host runs. It must notice, and write what it knows into a new one.
    func removeStore(_ step: FaultPlan.Step) async {
        guard await run.client.control(within: .milliseconds(500), { try await $0.hostStatus() }) != nil else {
            return run.say("fault \(step.number) (\(step.kind.title)) is left out: no host is running")
        }
        begin(step)
        for end in ["", "-wal", "-shm"] { unlink(run.store + end) }
        await last(step)
        mended(step)
    }

    /// Shifts the host's time of day for the duration of the fault.
    func jumpClock(_ step: FaultPlan.Step) async throws {
        begin(step, "by \(step.amount) s")
        defer { mended(step) }
        try run.setClock(wrongBy: step.amount)
        await last(step)
        try run.setClock(wrongBy: 0)
    }
}
