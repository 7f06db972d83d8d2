/// A process of simulated workers, and the last state that it printed.
@MainActor
final class ScaleFleet {
    let process: BenchProcess
    let workers: Int
    var state: [String: Double] = [:]
    var changes: [Int: Double] = [:]

    init(_ process: BenchProcess, workers: Int) {
        self.process = process
        self.workers = workers
    }
}

@MainActor
extension [ScaleFleet] {
    func sum(_ key: String) -> Int { Int(reduce(0) { $0 + ($1.state[key] ?? 0) }) }

    /// Whether every worker is attached in one epoch of the host that is later than the given one, and every copy of the
    /// container is complete.
    func areInSync(after epoch: Double) -> Bool {
        allSatisfy { fleet in
            (fleet.state["epoch"] ?? 0) > epoch && Int(fleet.state["ready"] ?? 0) == fleet.workers
                && Int(fleet.state["complete"] ?? 0) == fleet.workers
        } && Set(map { $0.state["epoch"] }).count == 1
    }

    /// The times in milliseconds from a start until all workers were attached, were complete and had their scenes.
    func times(since start: UInt64, prefix: String, withScenes: Bool) -> [String: Double] {
        func time(_ key: String) -> Double {
            ((compactMap { $0.state[key] }.max() ?? 0) - Double(start)) / 1e6
        }
        var times = [prefix + "attach_ms": time("ready_ns"), prefix + "sync_ms": time("complete_ns")]
        if withScenes { times[prefix + "place_ms"] = time("scenes_ns") }
        return times
    }
}
