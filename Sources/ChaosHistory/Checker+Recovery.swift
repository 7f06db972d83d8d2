/// How long it takes until a lost worker is known to be lost, and its sessions have scenes again.
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
            case .killHost: lost = running.filter { $0.end > fault.start }
            case .killWorker:
                // Its end is the fault itself.
                lost = running.filter { $0.pid == fault.record.pid && $0.end >= fault.start }
            case .stopWorker: lost = running.filter { $0.pid == fault.record.pid && $0.end > fault.start }
            case .cutLink where fault.record.machine != 1:
                lost = running.filter {
                    processes.lives[$0.pid]?.machine == fault.record.machine && $0.end > fault.start
                }
            default: continue
            }
            for scene in lost {
                guard let next = incarnations[scene.session]?.first(where: { $0.start > fault.start }) else { continue }
                // A short fault takes nothing away; what comes long after it has another cause. A fault of the host in
                // between is measured by itself.
                let isMixed = faults.all.contains {
                    $0.record.number != fault.record.number && $0.start < next.start && $0.end > fault.start
                        && ($0.record.kind == .killHost || $0.record.kind == .stopHost || $0.record.machine == 1)
                }
                guard !isMixed, next.start - fault.start < 30_000_000_000 else { continue }
                let isCaused =
                    fault.record.kind == .killWorker || fault.record.kind == .killHost || next.pid != scene.pid
                guard isCaused else { continue }
                tookToRestore(fault.record.kind, next.start - fault.start)
                if fault.record.kind != .killHost,
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
}
