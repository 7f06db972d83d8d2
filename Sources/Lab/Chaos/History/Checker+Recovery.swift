/// Measures how long it takes until the loss of a worker is detected, and until its sessions have scenes again.
extension Checker {
    mutating func measureRecovery() {
        let incarnations = Dictionary(grouping: incarnations, by: \.session)
        let looks = records.compactMap { record -> (time: UInt64, placements: [String: Placement])? in
            if case .looked(let placements) = record.event { (record.time, placements) } else { nil }
        }
        for fault in faults.all {
            let lost: [Incarnation]
            let running = incarnations.values.compactMap { all in all.last { $0.start < fault.start } }
            switch fault.record.kind {
            case .killHost, .powerCut: lost = running.filter { $0.end > fault.start }
            case .killWorker, .killRack:
                // The scene ended because of the fault itself.
                lost = running.filter { fault.record.pids.contains($0.pid) && $0.end >= fault.start }
            case .stopWorker, .hangWorker:
                lost = running.filter { fault.record.pids.contains($0.pid) && $0.end > fault.start }
            case .cutLink, .cutRack, .cutBus:
                lost = running.filter { scene in
                    !fault.record.machines.contains(1) && scene.end > fault.start
                        && (machine(of: scene.pid).map(fault.record.machines.contains) ?? false)
                }
            default: continue
            }
            for scene in lost {
                guard let next = incarnations[scene.session]?.first(where: { $0.start > fault.start }) else { continue }
                // A fault in between is measured separately.
                let isMixed = faults.all.contains { other in
                    other.record.number != fault.record.number && other.start < next.start && other.end > fault.start
                        && (concerns(other.record, scene) || concerns(other.record, next))
                }
                guard !isMixed else { continue }
                // A scene that appears on another worker after a short fault was moved there.
                let isKill = [.killWorker, .killRack].contains(fault.record.kind) || fault.record.kind.endsHost
                guard isKill || next.pid != scene.pid && next.start < fault.end else { continue }
                tookToRestore(fault.record.kind, next.start - fault.start)
                if !fault.record.kind.endsHost,
                    let known = looks.first(where: { look in
                        look.time > fault.start
                            && look.placements[scene.session].map { $0.worker == nil || $0.token != scene.token }
                                ?? true
                    }), known.time < next.start + 1_000_000_000
                {
                    tookToDetect(fault.record.kind, known.time - fault.start)
                }
            }
        }
    }

    /// Whether a fault separates a scene from the host.
    private func concerns(_ fault: FaultRecord, _ scene: Incarnation) -> Bool {
        fault.concerns(scene.pid, on: machine(of: scene.pid))
    }

    func machine(of pid: Int32) -> Int? { processes.lives[pid]?.machine }
}
