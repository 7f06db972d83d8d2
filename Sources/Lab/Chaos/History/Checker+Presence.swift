/// Checks the recovery during faults that leave a way around: values arrive another way, processes reattach, and
/// sessions run on other workers.
extension Checker {
    /// The roles of the processes that attach to the host for as long as they run.
    private static let peers: Set<Substring> = ["worker", "ledger", "ticker", "client"]

    // MARK: - Values

    /// Checks that a change reaches every process in time, even if the connection for it is dead.
    mutating func checkStaleness() {
        var sets: [String: [HistoryRecord]] = [:]
        var seen: [Int32: [String: [UInt64]]] = [:]
        for record in records {
            switch record.event {
            case .set(let entry, _): sets[entry, default: []].append(record)
            case .saw(let entry, _): seen[record.pid, default: [:]][entry, default: []].append(record.time)
            default: break
            }
        }
        let last = records.last?.time ?? 0
        for (pid, entries) in seen {
            for (entry, times) in entries {
                guard let sets = sets[entry] else { continue }
                let owners = Set(sets.map(\.pid))
                let excuses = self.times { fault in
                    fault.concerns(pid, on: machine(of: pid))
                        || owners.contains { fault.concerns($0, on: machine(of: $0)) }
                }
                looked(at: "times between changes", times.count)
                var next = 0
                for (place, time) in times.enumerated() {
                    let end = place + 1 < times.count ? times[place + 1] : min(processes.end(of: pid), last)
                    while next < sets.count, sets[next].time <= time { next += 1 }
                    guard next < sets.count, sets[next].time < end else { continue }
                    let stale = excuses.longestGap(from: sets[next].time, to: end)
                    guard stale > waits.extended(margins.recovery, from: sets[next].time, to: end) else { continue }
                    violation(
                        .staleTooLong, at: sets[next].time,
                        "\(processes.name(of: pid)) has received no change of '\(entry)' for \((end - sets[next].time) / 1_000_000) ms, \(stale / 1_000_000) ms of them without an excuse"
                    )
                }
            }
        }
    }

    // MARK: - Processes

    /// Checks that a running process is attached, or reattaches in time.
    mutating func checkAttachment() {
        let peers = processes.lives.filter { Self.peers.contains($0.value.name.prefix { $0 != "-" }) }
        var excusesByPid: [Int32: Excuses] = [:]
        // The time since which a process is missing.
        var missed: [Int32: UInt64] = [:]
        var told: Set<Int32> = []
        for record in records {
            guard case .attached(let attached) = record.event else { continue }
            for (pid, life) in peers where life.start < record.time && life.end > record.time {
                looked(at: "attached processes")
                guard !attached.contains(pid) else {
                    missed[pid] = nil
                    told.remove(pid)
                    continue
                }
                let since = missed[pid] ?? record.time
                missed[pid] = since
                let excuses = excusesByPid[pid] ?? self.times { $0.concerns(pid, on: life.machine) }
                excusesByPid[pid] = excuses
                let away = excuses.longestGap(from: since, to: record.time)
                guard away > waits.extended(margins.recovery, from: since, to: record.time),
                    told.insert(pid).inserted
                else { continue }
                violation(
                    .stayedDetached, at: since,
                    "\(processes.name(of: pid)) runs but is not attached for \(away / 1_000_000) ms without an excuse")
            }
        }
    }

    /// Checks that no process of a place whose key is revoked is attached, until it is allowed again.
    mutating func checkRevocations() {
        let revocations = faults.all.filter { $0.record.kind == .revokeKey }
        guard !revocations.isEmpty else { return }
        let stopped = times { $0.kind == .stopHost || $0.kind.endsHost }
        for record in records {
            guard case .attached(let attached) = record.event else { continue }
            for fault in revocations where fault.start < record.time && record.time < fault.end {
                let names = Set(fault.record.pids.compactMap { processes.lives[$0]?.name })
                let late = stopped.longestGap(from: fault.start, to: record.time)
                guard late > waits.extended(margins.revocation, from: fault.start, to: record.time) else { continue }
                looked(at: "moments with a revoked key")
                for pid in attached where processes.lives[pid].map({ names.contains($0.name) }) ?? false {
                    violation(
                        .revokedAttached, at: record.time,
                        "\(processes.name(of: pid)) is attached \(late / 1_000_000) ms after its key was revoked")
                }
            }
        }
    }

    // MARK: - Sessions

    /// Checks that a session that has lost its scene because of one fault gets another one in time.
    mutating func checkAbsences() {
        let last = finalLook?.time ?? records.last?.time ?? 0
        var closing: [String: UInt64] = [:]
        for record in records {
            if case .closing(let session) = record.event { closing[session] = record.time }
        }
        for (session, all) in Dictionary(grouping: incarnations, by: \.session) {
            for scene in all {
                guard let loss = loss(of: scene) else { continue }
                let next = all.first { $0.start > loss.time }?.start ?? .max
                let end = min(next, closing[session] ?? .max, last)
                // An older scene that keeps running at the same time is a different violation.
                guard end > loss.time,
                    !all.contains(where: { $0.start <= loss.time && $0.end > end && $0.pid != scene.pid })
                else { continue }
                looked(at: "lost scenes")
                let away = end - loss.time
                let limit = waits.extended(loss.time + margins.recovery, since: loss.time)
                guard end > limit, !isDisturbed(loss, until: limit) else { continue }
                violation(
                    .awayTooLong, at: loss.time,
                    "session \(session), lost in \(processes.name(of: scene.pid)) by \(loss.fault?.record.kind.title ?? "itself"), has no scene for \(away / 1_000_000) ms"
                )
            }
        }
    }

    private struct Loss {
        var time: UInt64
        var fault: Faults.Fault?
    }

    /// The time at which a scene was lost, and the fault that caused it.
    private func loss(of scene: Incarnation) -> Loss? {
        let cause = faults.all.first { fault in
            guard fault.start >= scene.start, fault.start <= scene.end else { return false }
            switch fault.record.kind {
            case .killWorker, .killRack, .revokeKey: return fault.record.pids.contains(scene.pid)
            case .stopWorker, .hangWorker, .cutLink, .cutRack, .cutBus:
                // A scene survives a short fault.
                return fault.end > .max - margins.recovery || fault.end - fault.start > margins.recovery
                    ? fault.record.concerns(scene.pid, on: machine(of: scene.pid)) && !fault.record.sparesNew : false
            default: return false
            }
        }
        if let cause { return Loss(time: cause.start, fault: cause) }
        // Its worker has crashed, at once or when it was asked a little later.
        let crash = faults.all.first { fault in
            fault.record.kind == .crashScene && fault.record.pids.contains(scene.pid)
                && fault.start <= scene.end && scene.end <= fault.end
        }
        if let crash { return Loss(time: scene.end, fault: crash) }
        // The process may have been ended at the end of the run.
        guard scene.end < .max, scene.end < processes.end(of: scene.pid) else { return nil }
        return Loss(time: scene.end)
    }

    /// Checks that a session whose scene crashes no worker was held only where its last scene was lost by a fault, and another
    /// fault took a worker soon after: that one may have had the session in hands. The host cannot tell such a scene from one that
    /// crashes.
    mutating func checkHeldSessions() {
        let incarnations = incarnations
        for record in records {
            guard case .retried(let session) = record.event else { continue }
            looked(at: "held sessions")
            let last = incarnations.last { $0.session == session && $0.start < record.time }
            if let loss = last.flatMap({ loss(of: $0) }), loss.fault != nil {
                let limit = waits.extended(loss.time + margins.recovery, since: loss.time)
                guard !otherFaults(than: loss, until: limit).contains(where: { $0.record.kind.takesWorkers })
                else { continue }
            }
            violation(
                .heldWithoutCause, at: record.time,
                "session \(session) was held, but no two faults came together that may have taken its workers")
        }
    }

    /// Whether another fault prevents the placement of a session.
    private func isDisturbed(_ loss: Loss, until end: UInt64) -> Bool {
        !otherFaults(than: loss, until: end).isEmpty
    }

    /// The faults besides the one that took a scene away that may delay its placement.
    private func otherFaults(than loss: Loss, until end: UInt64) -> [Faults.Fault] {
        var others = faults.all.filter { fault in
            let isOver = fault.end < .max - margins.aftermath && fault.end + margins.aftermath < loss.time
            return fault.record.kind.delaysState && fault.start < end && !isOver
        }
        // If the scene ended by itself, at most one fault is the cause.
        if let cause = loss.fault {
            others.removeAll { $0.record.number == cause.record.number }
        } else if !others.isEmpty {
            others.removeFirst()
        }
        return others
    }
}
