import BenchMessages
import Bus
import Glibc
import Link
import ZeroMQ

/// Many simulated workers in one process, for `scenebus bench scale`: prints how far they are whenever that changes.
///
///     state epoch=… ready=… complete=… scenes=… restored=… ready_ns=… complete_ns=… scenes_ns=…
///     changed round=… longest_ns=…
@MainActor
final class WorkerFleet {
    /// The least time between two lines about the state.
    private static let interval = Duration.milliseconds(20)

    private var workers: [SimulatedWorker] = []
    private var rounds: [Int: (count: Int, longest: UInt64)] = [:]
    private lazy var timer = LoopTimer { [weak self] in self?.report() }

    /// - Parameters:
    ///   - first: the number of the first worker; the names of all workers of a run differ.
    ///   - capacity: scenes that each takes.
    ///   - entries: how many the container has.
    init(_ endpoint: String, first: Int, count: Int, capacity: Int, entries: Int) {
        let context = Context(maximumSockets: 16_384)
        for number in first..<(first + count) {
            var configuration = LinkConfiguration(
                endpoint: endpoint, role: .worker, peer: "worker\(number)", context: context)
            configuration.scenes = ["Bench"]
            configuration.capacity = capacity
            let worker = SimulatedWorker(configuration, entries: entries)
            worker.onChange = { [weak self] in self?.changed() }
            worker.onEntry = { [weak self] in self?.received($0) }
            workers.append(worker)
        }
    }

    func start() { for worker in workers { worker.start() } }
    func stop() { for worker in workers { worker.stop() } }

    private func changed() {
        if timer.deadline == nil { timer.set(for: .now + Self.interval) }
    }

    private func report() {
        // After a restart of the host only those count that have found its new life.
        let epoch = workers.compactMap(\.epoch).max() ?? 0
        let there = workers.filter { $0.epoch == epoch }
        let complete = there.filter(\.isComplete)
        let figures: [(String, UInt64)] = [
            ("epoch", epoch), ("ready", UInt64(there.count)), ("complete", UInt64(complete.count)),
            ("scenes", UInt64(there.reduce(0) { $0 + $1.scenes.count })),
            ("restored", UInt64(there.reduce(0) { $0 + $1.restored })),
            ("ready_ns", there.map(\.readyAt).max() ?? 0),
            ("complete_ns", complete.map { max($0.readyAt, $0.completeAt) }.max() ?? 0),
            ("scenes_ns", there.map(\.sceneAt).max() ?? 0),
        ]
        print("state " + figures.map { "\($0.0)=\($0.1)" }.joined(separator: " "))
        fflush(nil)
    }

    private func received(_ entry: ScaleEntry) {
        let time = BenchPeer.nanoseconds() - entry.time
        let round = rounds[entry.round] ?? (0, 0)
        rounds[entry.round] = (round.count + 1, max(round.longest, time))
        guard let round = rounds[entry.round], round.count == workers.count else { return }
        print("changed round=\(entry.round) longest_ns=\(round.longest)")
        fflush(nil)
    }
}
