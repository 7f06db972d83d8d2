/// Checks that a scene's saved state is restored in the next scene of its session.
extension Checker {
    mutating func checkStates() {
        /// The minimum count of every scene that starts later.
        struct Floor {
            var count: Int
            var since: UInt64
            var reason: String
        }
        let incarnations = Dictionary(grouping: incarnations, by: \.session)
        var floors: [String: [Floor]] = [:]
        for record in records {
            switch record.event {
            case .input(let id, let session, let count):
                let secured = faults.secured(
                    from: record.time, pid: record.pid, machine: processes.lives[record.pid]?.machine)
                // A scene that ended earlier may have had no time to send its state.
                guard let own = incarnations[session]?.last(where: { $0.pid == record.pid && $0.start <= record.time }),
                    own.end > secured
                else { continue }
                floors[session, default: []].append(
                    Floor(count: count, since: secured, reason: "input \(id) in \(processes.name(of: record.pid))"))
            case .stored(let session, let count):
                let secured = faults.secured(from: record.time, pid: nil, machine: nil)
                // A host that was killed earlier may not have written the state, for example because its disk was full.
                let isHostKilled = faults.all.contains { fault in
                    fault.record.kind.endsHost && fault.start > record.time && fault.start <= secured
                }
                guard !isHostKilled else { continue }
                floors[session, default: []].append(
                    Floor(count: count, since: secured, reason: "the host's status"))
            default: break
            }
        }
        for (session, all) in incarnations {
            // A scene that starts while a newer one runs is a violation of its own, whatever its count.
            let all = all.enumerated().filter { index, scene in !all[..<index].contains { $0.isNewer(than: scene) } }
                .map(\.element)
            checkMoves(all)
            for incarnation in all {
                looked(at: "restored states")
                let floor = (floors[session] ?? []).filter { $0.since < incarnation.start }
                    .max { $0.count < $1.count }
                if let floor, incarnation.count < floor.count {
                    violation(
                        .stateLost, at: incarnation.start,
                        "session \(session) begins in \(processes.name(of: incarnation.pid)) with \(incarnation.count), but had \(floor.count) by \(floor.reason)"
                    )
                }
            }
        }
    }

    /// Checks that a scene which a command moves to another worker, without any fault, loses no input.
    private mutating func checkMoves(_ incarnations: [Incarnation]) {
        for (old, new) in zip(incarnations, incarnations.dropFirst()) {
            var last = (count: old.count, time: old.start)
            for record in inputs[old.session] ?? [] where record.pid == old.pid && record.time >= old.start {
                if case .input(_, _, let count) = record.event, record.time <= old.end { last = (count, record.time) }
            }
            let isDisturbed = faults.all.contains { fault in
                fault.record.kind.delaysState && fault.start < new.start
                    && (fault.end > .max - margins.aftermath || fault.end + margins.aftermath > last.time)
            }
            guard !isDisturbed else { continue }
            looked(at: "moves without a fault")
            if new.count < last.count {
                violation(
                    .stateLost, at: new.start,
                    "session \(old.session) moved from \(processes.name(of: old.pid)) to \(processes.name(of: new.pid)), and lost \(last.count - new.count) of \(last.count) inputs"
                )
            }
        }
    }
}
