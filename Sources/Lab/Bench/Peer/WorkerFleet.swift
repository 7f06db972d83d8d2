import Messaging
import LabClock
import BenchMessages
import Bus
import Glibc
import PeerLink
import ZeroMQ

/// Many simulated workers in one process, for `scenebus bench scale`. Prints their progress whenever it changes.
///
///     state epoch=… ready=… complete=… scenes=… restored=… ready_ns=… complete_ns=… scenes_ns=…
///     changed round=… longest_ns=…
@MainActor
final class WorkerFleet {
    /// The minimum time between two lines about the state.
    private static let interval = Duration.milliseconds(100)

    private var workers: [SimulatedWorker] = []
    /// How many of the first workers have left and must not return yet.
    private var awayCount = 0
    private let make: (Int) throws -> SimulatedWorker
    private let first: Int
    private var rounds: [Int: (count: Int, longest: UInt64)] = [:]
    private lazy var timer = LoopTimer { [weak self] in self?.report() }

    /// - Parameters:
    ///   - first: the number of the first worker; the names of all workers of a run differ.
    ///   - capacity: the number of scenes that each worker accepts.
    ///   - entries: the number of entries in the container.
    /// - Throws: ``PrivatePathError`` if a worker's key cannot be read.
    init(_ endpoint: String, first: Int, count: Int, capacity: Int, entries: Int) throws {
        let context = SocketContext(maximumSockets: 16_384)
        self.first = first
        make = { number in
            let host = try HostReference(ofBench: endpoint, worker: number)
            var configuration = LinkConfiguration(host, role: .worker, peer: "worker\(number)", context: context)
            configuration.scenes = ["Bench"]
            configuration.capacity = capacity
            return SimulatedWorker(configuration, entries: entries)
        }
        workers = try (first..<(first + count)).map(make)
        for worker in workers { watch(worker) }
    }

    private func watch(_ worker: SimulatedWorker) {
        worker.onChange = { [weak self] in self?.changed() }
        worker.onEntry = { [weak self] in self?.received($0) }
    }

    func start() { for worker in workers { worker.start() } }

    /// Runs a command: `leave N` makes the first N workers say goodbye at once; `return` starts new workers with their
    /// names.
    func obey(_ command: String) throws {
        let words = command.split(separator: " ")
        if words.first == "leave", let count = words.last.flatMap({ Int($0) }), (0...workers.count).contains(count) {
            for worker in workers.prefix(count) { worker.stop() }
            awayCount = count
        } else if words.first == "return" {
            for index in 0..<awayCount {
                workers[index] = try make(first + index)
                watch(workers[index])
                workers[index].start()
            }
            awayCount = 0
        }
        changed()
    }

    func stop() { for worker in workers { worker.stop() } }

    private func changed() {
        if timer.deadline == nil { timer.set(for: .now + Self.interval) }
    }

    private func report() {
        // After a restart of the host, only the workers attached in the new epoch count.
        let epoch = workers.reduce(0) { max($0, $1.epoch ?? 0) }
        var (ready, complete, scenes, restored) = (0, 0, 0, 0)
        var (readyAt, completeAt, sceneAt) = (UInt64(0), UInt64(0), UInt64(0))
        for worker in workers[awayCount...] where worker.epoch == epoch {
            ready += 1
            scenes += worker.scenes.count
            restored += worker.restored
            readyAt = max(readyAt, worker.readyAt)
            sceneAt = max(sceneAt, worker.sceneAt)
            guard worker.isComplete else { continue }
            complete += 1
            completeAt = max(completeAt, worker.readyAt, worker.completeAt)
        }
        let figures = [
            ("epoch", epoch), ("ready", UInt64(ready)), ("complete", UInt64(complete)), ("scenes", UInt64(scenes)),
            ("restored", UInt64(restored)), ("ready_ns", readyAt), ("complete_ns", completeAt), ("scenes_ns", sceneAt),
        ]
        print("state " + figures.map { "\($0.0)=\($0.1)" }.joined(separator: " "))
        fflush(nil)
    }

    private func received(_ entry: ScaleEntry) {
        let time = MonotonicTime.nanoseconds - entry.time
        let round = rounds[entry.round] ?? (0, 0)
        rounds[entry.round] = (round.count + 1, max(round.longest, time))
        guard let round = rounds[entry.round], round.count == workers.count else { return }
        print("changed round=\(entry.round) longest_ns=\(round.longest)")
        fflush(nil)
    }
}
