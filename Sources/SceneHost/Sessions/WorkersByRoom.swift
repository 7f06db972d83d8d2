import HeapModule

/// The workers that can be given a session of one scene configuration, the one with the most room first. It is a value.
///
/// It finds that worker without a search over all workers.
struct WorkersByRoom {
    /// A worker that can be given a session now.
    struct Opening: Comparable {
        let room: Int
        let worker: WorkerID
        /// The worker's ``AttachedWorker/stamp`` when it had this room. If the stamp has changed, the entry is
        /// outdated.
        let stamp: UInt64

        /// The largest opening has the most room; with equal room, it belongs to the worker that attached first.
        static func < (left: Opening, right: Opening) -> Bool {
            (left.room, right.worker) < (right.room, left.worker)
        }
    }

    private var openings = Heap<Opening>()

    /// Adds a worker.
    /// - Parameter count: the number of workers that offer the configuration.
    mutating func add(_ opening: Opening, among workers: [WorkerID: AttachedWorker], of count: Int) {
        openings.insert(opening)
        guard openings.count > 4 * count + 64 else { return }
        openings = Heap(openings.unordered.filter { workers[$0.worker]?.stamp == $0.stamp })
    }

    /// Returns the worker with the most room.
    /// - Parameter excluded: workers to skip.
    mutating func first(
        among workers: [WorkerID: AttachedWorker], without excluded: Set<WorkerID>
    ) -> WorkerID? {
        var passed: [Opening] = []
        defer { for opening in passed { openings.insert(opening) } }
        while let first = openings.max {
            guard workers[first.worker]?.stamp == first.stamp else {
                openings.removeMax()
                continue
            }
            guard excluded.contains(first.worker) else { return first.worker }
            passed.append(openings.removeMax())
        }
        return nil
    }
}
