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
                // What came between is measured by itself.
                let isMixed = faults.all.contains { other in
                    other.record.number != fault.record.number && other.start < next.start && other.end > fault.start
                        && (concerns(other.record, scene) || concerns(other.record, next))
                }
                guard !isMixed else { continue }
                // A scene that comes to another place after a short fault has been moved there.
                let isKill = fault.record.kind == .killWorker || fault.record.kind == .killHost
                guard isKill || next.pid != scene.pid && next.start < fault.end else { continue }
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

    /// Whether a fault stands between a scene and the host.
    private func concerns(_ fault: FaultRecord, _ scene: Incarnation) -> Bool {
        switch fault.kind {
        case .killHost, .stopHost: true
        case .killWorker, .stopWorker: fault.pid == scene.pid
        case .cutLink, .cutOneWay, .loss, .delay:
            fault.machine == 1 || fault.machine == processes.lives[scene.pid]?.machine
        case .killPlugin, .stopPlugin, .deafSubscriber, .garbage, .fullDisk, .drainWorker: false
        }
    }
}
