import ChaosHistory
import Foundation

/// The faults of keys.
extension FaultMaker {
    /// Revokes the key of a worker, whose process then ends, and allows it again.
    func revokeKey(_ place: ProcessPlace, _ step: FaultPlan.Step) async throws {
        guard let pid = place.pid, let keys = run.keys, let entry = try keys.revoke(place.name) else { return }
        begin(step, pids: [pid], place.name)
        place.expectEnd(pause: step.length)
        await last(step)
        try keys.allow(entry)
        mended(step)
    }

    /// Replaces the key of a worker while it runs. The old one ends soon, and is tried then.
    func rotateKey(_ place: ProcessPlace, _ step: FaultPlan.Step) async {
        begin(step, place.name)
        let command = self.place(
            step, step.kind.rawValue, on: place.machine,
            ["rotate", "--name", place.name, "--log", "\(run.folder)/log"])
        command.start(once: true)
        await last(step)
        _ = await command.end(within: .zero)
        mended(step)
    }

    /// Replaces the host's key. Who was not attached meanwhile does not know the new one, and is told by hand.
    func rotateHostKey(_ step: FaultPlan.Step) async throws {
        guard let keys = run.keys else { return }
        // The end of the run can shorten the fault so much that nobody is told in time.
        guard step.length >= .seconds(10) else {
            return run.say("fault \(step.number) (\(step.kind.title)) could not be injected: too little time is left")
        }
        begin(step)
        let end = ContinuousClock.now + step.length
        let key = try keys.replaceHostKey(from: Date(timeIntervalSinceNow: step.length / .seconds(1)))
        // Who is seen twice was attached in between, and was told.
        var seen: [String: Int] = [:]
        while ContinuousClock.now < end {
            for name in await run.attachedNames() { seen[name, default: 0] += 1 }
            try? await Task.sleep(for: .milliseconds(500))
        }
        for name in try keys.names where seen[name, default: 0] < 2 { try keys.tell(name, key) }
        mended(step)
    }
}
