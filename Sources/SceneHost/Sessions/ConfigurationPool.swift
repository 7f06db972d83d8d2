import DequeModule

/// The workers that offer a scene configuration, and the sessions of this configuration that need a worker.
struct ConfigurationPool {
    /// The number of workers that offer the configuration.
    var attached = 0
    /// The number of these workers that are not being drained.
    var open = 0
    /// The number of workers in `open` with room, whether or not they can be given a session right now.
    var roomy = 0
    /// The workers that can be given a session now.
    var workers = WorkersByRoom()

    /// Sessions that wait for a worker. Some entries may be outdated.
    var waiting: Deque<String> = []
    /// Sessions that have to leave a draining worker. Some entries may be outdated.
    var leaving: Deque<String> = []
    /// Sessions of both kinds whose state some workers cannot read, while the other workers have no room.
    var choosy: Deque<String> = []
    /// How many of these have not been tried since room became available.
    var choosyLeft = 0
    /// Sessions that wait for a retry. Some entries may be outdated.
    var failing: Deque<String> = []
    /// How many of these have not been tried since another worker attached. That worker may accept what others have
    /// refused.
    var failingLeft = 0

    var isEmpty: Bool {
        attached == 0 && waiting.isEmpty && leaving.isEmpty && choosy.isEmpty && failing.isEmpty
    }

    /// The number of entries that remained after the last removal of closed sessions.
    private var kept = 0

    /// Removes closed sessions once there may be many of them.
    mutating func tidy(isOpen: (String) -> Bool) {
        guard waiting.count + leaving.count + choosy.count + failing.count > 2 * kept + 64 else { return }
        waiting.removeAll { !isOpen($0) }
        leaving.removeAll { !isOpen($0) }
        choosy.removeAll { !isOpen($0) }
        failing.removeAll { !isOpen($0) }
        (choosyLeft, failingLeft) = (min(choosyLeft, choosy.count), min(failingLeft, failing.count))
        kept = waiting.count + leaving.count + choosy.count + failing.count
    }
}
