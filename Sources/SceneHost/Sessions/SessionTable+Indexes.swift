import DequeModule

/// The counts and queues that follow from the phases of the sessions and from the state of the workers.
extension SessionTable {
    /// Updates the pools after a worker has changed.
    mutating func workerChanged(_ id: WorkerID) {
        guard let worker = workers[id] else { return }
        let room = worker.room
        let new = AttachedWorker.Standing(
            isOpen: !worker.isDraining, isRoomy: !worker.isDraining && room > 0,
            opening: worker.takesMore && worker.starting < Self.maximumStarting ? room : nil)
        let old = worker.standing
        guard new != old else { return }
        workers[id]?.standing = new
        lastStamp += 1
        workers[id]?.stamp = lastStamp
        for configuration in worker.offers {
            count(old, new, of: configuration)
            guard let opening = new.opening else { continue }
            let entry = WorkersByRoom.Opening(room: opening, worker: id, stamp: lastStamp)
            let attached = pools[configuration]?.attached ?? 0
            pools[configuration]?.workers.add(entry, among: workers, of: attached)
            guard opening > old.opening ?? 0, let pool = pools[configuration] else { continue }
            pools[configuration]?.choosyLeft = pool.choosy.count
            pending.insert(configuration)
        }
    }

    mutating func count(
        _ old: AttachedWorker.Standing, _ new: AttachedWorker.Standing, of configuration: String
    ) {
        pools[configuration]?.open += (new.isOpen ? 1 : 0) - (old.isOpen ? 1 : 0)
        pools[configuration]?.roomy += (new.isRoomy ? 1 : 0) - (old.isRoomy ? 1 : 0)
        if old.isRoomy, !new.isRoomy, pools[configuration]?.roomy == 0 { exhausted.insert(configuration) }
    }

    /// Sets a session's phase, and updates its workers' sets and counts.
    mutating func setPhase(_ phase: Phase, of id: String) {
        guard let old = sessions[id]?.phase else { return }
        sessions[id]?.phase = phase
        if !phase.isWaitingForItsWorker { sessions[id]?.patienceEnd = nil }
        changed.insert(id)
        setCandidate(from: old.candidate, to: phase.candidate, of: id)
        let (before, after) = (old.workers, phase.workers)
        for worker in before where !after.contains(worker) { workers[worker]?.sessions.remove(id) }
        for worker in after where !before.contains(worker) { workers[worker]?.sessions.insert(id) }
        if case .running(let worker) = old {
            workers[worker]?.running -= 1
            connectedCount -= 1
        }
        if case .running(let worker) = phase {
            workers[worker]?.running += 1
            connectedCount += 1
        }
        if let worker = old.starter { workers[worker]?.starting -= 1 }
        if let worker = phase.starter { workers[worker]?.starting += 1 }
        for worker in before + after.filter({ !before.contains($0) }) {
            workerChanged(worker)
            if let session = sessions[id] { updateTrial(of: session, at: worker) }
            giveNext(to: worker)
        }
    }

    /// Continues with the next parked sessions of a worker: one to resume, and one to leave it.
    private mutating func giveNext(to id: WorkerID) {
        while workers[id]?.starting ?? .max < Self.maximumStarting, let session = workers[id]?.returners.popFirst() {
            guard sessions[session]?.phase == .returning(id) else { continue }
            resumable.append((session, id))
            break
        }
        guard workers[id]?.parked.isEmpty == false else { return }
        while workers[id]?.moving ?? .max < Self.maximumDraining, let session = workers[id]?.parked.popFirst() {
            guard mayLeave(session) == id, let configuration = sessions[session]?.record.configuration else {
                sessions[session]?.isLeaving = false
                continue
            }
            pools[configuration, default: ConfigurationPool()].leaving.prepend(session)
            pending.insert(configuration)
            break
        }
    }

    /// Moves a session from the candidates of one worker to those of another.
    private mutating func setCandidate(from old: Candidate?, to new: Candidate?, of id: String) {
        guard old != new else { return }
        if let old {
            workers[old.worker]?.candidates.remove(id)
            workerChanged(old.worker)
        }
        if let new {
            workers[new.worker]?.candidates.insert(id)
            workerChanged(new.worker)
        }
    }
}
