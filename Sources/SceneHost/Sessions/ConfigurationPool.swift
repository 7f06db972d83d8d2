import DequeModule
import HeapModule

/// The workers that offer a scene configuration, and its sessions that want one of them. A value.
///
/// It answers which worker has the most room without looking at all of them.
struct ConfigurationPool {
    /// A worker that can be given a session now.
    struct Opening: Comparable {
        let room: Int
        let worker: WorkerID
        /// The worker's ``AttachedWorker/stamp`` when it had this room; with another one the entry is out of date.
        let stamp: UInt64

        /// The largest is the one with the most room, among those with the same the one that attached first.
        static func < (left: Opening, right: Opening) -> Bool {
            (left.room, right.worker) < (right.room, left.worker)
        }
    }

    /// Workers that offer it.
    var attached = 0
    /// Those among them that are not drained.
    var open = 0
    /// Those among these that have room, whether or not they can be given a session at this moment.
    var roomy = 0
    private var openings = Heap<Opening>()

    /// Sessions that wait for a worker; some may not wait any more.
    var waiting: Deque<String> = []
    /// Sessions that are to leave a worker which is drained; some may be gone.
    var leaving: Deque<String> = []
    /// Sessions of both kinds whose state some workers cannot read, and that none of the others has room for.
    var choosy: Deque<String> = []
    /// How many of these have not been looked at since there was new room.
    var choosyLeft = 0
    /// Sessions that wait for their next try; some may not any more.
    var failing: Deque<String> = []
    /// How many of these have not been looked at since another worker came: it may take what others have refused.
    var failingLeft = 0

    var isEmpty: Bool {
        attached == 0 && waiting.isEmpty && leaving.isEmpty && choosy.isEmpty && failing.isEmpty
    }

    /// How many sessions were left when those that are closed were taken out last.
    private var kept = 0

    /// Takes out closed sessions, if there may be many of them.
    mutating func tidy(isOpen: (String) -> Bool) {
        guard waiting.count + leaving.count + choosy.count + failing.count > 2 * kept + 64 else { return }
        waiting.removeAll { !isOpen($0) }
        leaving.removeAll { !isOpen($0) }
        choosy.removeAll { !isOpen($0) }
        failing.removeAll { !isOpen($0) }
        (choosyLeft, failingLeft) = (min(choosyLeft, choosy.count), min(failingLeft, failing.count))
        kept = waiting.count + leaving.count + choosy.count + failing.count
    }

    mutating func add(_ opening: Opening, among workers: [WorkerID: AttachedWorker]) {
        openings.insert(opening)
        guard openings.count > 4 * attached + 64 else { return }
        openings = Heap(openings.unordered.filter { workers[$0.worker]?.stamp == $0.stamp })
    }

    /// The worker with the most room.
    /// - Parameter excluded: workers that are passed over.
    mutating func best(
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
