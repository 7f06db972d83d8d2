import Bus
import DequeModule
import OrderedCollections

extension SessionTable {
    /// Handles a worker that has attached.
    /// - Parameters:
    ///   - held: the suspended scenes that it holds.
    ///   - key: the name of its key; `nil` without one.
    ///   - endsWithHost: whether the worker ends with the host, because it is in the host's process or was started by
    ///     it.
    mutating func attached(
        _ id: WorkerID, _ process: ProcessIdentity, offers: Set<String>, capacity: Int, held: [HeldScene],
        endsWithHost: Bool = false, sharer: String? = nil, key: String? = nil, at now: MonotonicInstant
    ) -> [Action] {
        workers[id] = AttachedWorker(
            id: id, process: process, sharer: sharer ?? process.peer, key: key, offers: offers,
            capacity: capacity, endsWithHost: endsWithHost)
        // A worker that only lost its link stays drained.
        let wasDraining = forgetDrained(process)
        workers[id]?.isDraining = wasDraining
        for configuration in offers { pools[configuration, default: ConfigurationPool()].attached += 1 }
        workerChanged(id)
        var actions: [Action] = []
        if !held.isEmpty { hasSeenHeld = true }
        withdrawAccusations(of: process)
        for scene in held { actions += reported(scene, by: id, process) }
        return actions
    }

    /// Handles a worker whose copy of the container is complete, so that it can run scenes.
    mutating func synchronized(_ id: WorkerID, at now: MonotonicInstant) -> [Action] {
        guard let worker = workers[id], !worker.isReady else { return [] }
        workers[id]?.isReady = true
        expected?.workers.remove(worker.name)
        if expected?.workers.isEmpty == true { endExpecting() }
        for session in worker.sessions.sorted() where sessions[session]?.phase == .returning(id) {
            resumable.append((session, id))
        }
        for configuration in worker.offers {
            guard let pool = pools[configuration] else { continue }
            pools[configuration]?.failingLeft = pool.failing.count
            checkChoosyAgain(of: configuration)
        }
        workerChanged(id)
        return place()
    }

    /// Ends the wait for the workers that the host has started.
    mutating func endExpecting() {
        expected = nil
        exhausted.formUnion(pools.keys)
    }

    /// Updates the set of silent workers, which get no scenes until they respond again.
    ///
    /// Waiting for a worker that may be disconnected costs more than placing a scene elsewhere, or a moment later.
    mutating func quiet(_ ids: Set<WorkerID>) -> [Action] {
        guard ids != quiet else { return [] }
        let (heard, unheard) = (quiet.subtracting(ids), ids.subtracting(quiet))
        quiet = ids
        for id in unheard where workers[id] != nil {
            workers[id]?.isQuiet = true
            workerChanged(id)
        }
        for id in heard where workers[id] != nil {
            workers[id]?.isQuiet = false
            workerChanged(id)
        }
        return place()
    }

    // MARK: - Draining processes

    private static let maximumDrained = 1000

    /// Remembers that a process was draining when it lost its link.
    mutating func rememberDrained(_ process: ProcessIdentity) {
        forgetDrained(process)
        drained[process.peer] = process
        if drained.count > Self.maximumDrained { drained.removeFirst() }
    }

    /// Forgets what is remembered of the processes of this name.
    /// - Returns: whether this process was draining when it lost its link.
    @discardableResult
    mutating func forgetDrained(_ process: ProcessIdentity) -> Bool {
        drained.removeValue(forKey: process.peer) == process
    }
}
