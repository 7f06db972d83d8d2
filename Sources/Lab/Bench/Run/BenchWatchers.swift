import ArgumentParser
import BenchMessages
import Bus
import CBOR
import CoordinatorKit
import LabClock
import Messaging
import OperatorKit

/// The clients of the scene that `scenebus bench scene` measures, in a process of their own. It prints the figures in one
/// line.
struct BenchWatchersCommand: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "watchers", shouldDisplay: false)

    @OptionGroup var client: ClientOptions
    @Option var count: Int
    @Option var watchers: Int
    @Option var clients: Int
    @Option var changes: Int

    func execute() async throws {
        let measuring = Task { try await measure() }
        let parent: @MainActor @Sendable () async -> Void = {
            await endOfInput()
            measuring.cancel()
        }
        let watching = Task(operation: parent)
        defer { watching.cancel() }
        try await measuring.value
    }

    @MainActor
    private func measure() async throws {
        let scene = try await MeasuredScene(client)
        // Before anybody watches: the host and the worker go on with a scene for some seconds after the last watcher has gone.
        let alone = try await scene.act(count)
        let one = try await scene.audience(clients: 1, readersEach: 1)
        let watched = try await scene.act(count)
        let latencies = try await scene.change(count, for: one)
        one.close()
        let all = try await scene.audience(clients: clients, readersEach: watchers / clients)
        let completions = try await scene.change(changes, for: all)
        var figures = [
            "acts_s": alone.perSecond, "act_cpu_us": alone.processor, "watched_acts_s": watched.perSecond,
            "watched_act_cpu_us": watched.processor, "p50_us": latencies[count / 2],
            "p99_us": latencies[count * 99 / 100],
            "all_p50_us": completions[changes / 2], "all_max_us": completions[changes - 1],
            "sent": try await scene.timesSent(changes, to: all),
        ]
        figures.merge(try await scene.sizes()) { $1 }
        all.close()
        try await scene.close()
        printLine(figures.map { "\($0)=\($1)" }.joined(separator: " "))
    }
}

/// The scene, and a client that acts in it.
@MainActor
private final class MeasuredScene {
    private let options: ClientOptions
    private let client: HostClient
    private let session: String
    /// The host and the worker.
    private let processes: [Int32]
    /// How often the meter has changed.
    private var changes = 0

    init(_ options: ClientOptions) async throws {
        self.options = options
        client = try await HostClient(options)
        let status = try await client.chain.hostOpenSession(
            configuration: "Bench", role: SceneSession.Role.windowApplication.rawValue, link: nil, session: nil)
        guard status.state == .running, let worker = status.pid else {
            throw CommandError(.failure, "the scene does not run: \(status.problem ?? status.state.rawValue)")
        }
        session = status.session
        processes = [try await client.chain.hostStatus().pid, worker]
    }

    func close() async throws {
        try await client.chain.hostCloseSession(session: session)
        client.close()
    }

    // MARK: - Actions

    private func act(_ change: Dashboard.Change = .meter) async throws {
        if change == .meter { changes += 1 }
        _ = try await client.chain.hostSceneAct(session: session, action: change.rawValue, fields: [:])
    }

    /// Acts a number of times, and waits for the replies only.
    /// - Returns: the actions in a second, and the processor time of host and worker for one in microseconds.
    func act(_ count: Int) async throws -> (perSecond: Double, processor: Double) {
        func used() -> Double { processes.map { ProcessUse.processorSeconds(of: $0) }.reduce(0, +) }
        let before = used()
        let start = MonotonicTime.nanoseconds
        for _ in 0..<count { try await act() }
        let seconds = Double(MonotonicTime.nanoseconds - start) / 1e9
        return (Double(count) / seconds, (used() - before) * 1e6 / Double(count))
    }

    // MARK: - Watchers

    /// Begins to watch.
    func audience(clients: Int, readersEach: Int) async throws -> SceneAudience {
        let audience = SceneAudience(readers: clients * readersEach)
        audience.expect(share: Dashboard.share(after: changes))
        for _ in 0..<clients {
            audience.add(try await HostClient(options), readers: readersEach, of: session)
        }
        _ = try await audience.arrival()
        return audience
    }

    /// Changes the scene a number of times, and waits each time until all readers have the picture.
    /// - Returns: how long they took, in microseconds, in ascending order.
    func change(_ count: Int, for audience: SceneAudience) async throws -> [Double] {
        var times: [Double] = []
        for _ in 0..<count {
            audience.expect(share: Dashboard.share(after: changes + 1))
            let act: @MainActor @Sendable () async -> Void = {
                do { try await self.act() } catch { audience.fail(error) }
            }
            let start = MonotonicTime.nanoseconds
            let acting = Task(operation: act)
            let end = try await audience.arrival()
            times.append(Double(end - start) / 1e3)
            await acting.value
        }
        return times.sorted()
    }

    /// Counts with the host's tap how often the worker sends the picture of a change.
    func timesSent(_ changes: Int, to audience: SceneAudience) async throws -> Double {
        let monitor = try await HostClient(options, role: .monitor)
        defer { monitor.close() }
        let count = PictureCount(changes)
        let tap = try TapSubscriber(
            publisher: monitor.welcome.publisher, endpoint: options.endpoint, context: monitor.context
        ) { count.look(at: $0) }
        defer { tap.close() }
        // Some changes pass before the tap has begun, and its records come a little later than the pictures.
        for _ in 0..<changes * 10 + 100 where !count.isComplete { _ = try await change(1, for: audience) }
        guard count.isComplete else { throw CommandError(.failure, "the host's tap shows no actions") }
        return Double(count.pictures) / Double(changes)
    }

    // MARK: - Sizes

    /// The bytes of the whole content, and of each change, as the host sends them.
    func sizes() async throws -> [String: Double] {
        var news = try await client.chain.hostSceneWatch(
            session: session, known: nil, state: nil, problem: nil, watchers: nil, company: nil)
        guard let whole = news.update, whole.content != nil else {
            throw CommandError(.failure, "the host has sent no content of a scene that is watched")
        }
        var sizes = ["whole_bytes": try Self.size(of: whole)]
        for change in Dashboard.Change.allCases {
            try await act(change)
            news = try await client.chain.hostSceneWatch(
                session: session, known: news.update?.revision, state: news.state, problem: news.problem, watchers: nil,
                company: nil)
            guard let update = news.update, update.difference != nil else {
                throw CommandError(.failure, "the host has sent no difference after a change of the \(change.rawValue)")
            }
            sizes["\(change.rawValue)_bytes"] = try Self.size(of: update)
        }
        return sizes
    }

    private static func size(of update: SceneUpdate) throws -> Double {
        Double(try CBORRaw(encoding: update).bytes.count)
    }
}

/// How often a worker sends a picture during a number of changes, according to a host's tap.
///
/// The picture of a change comes after its action, and before the next one, which waits for it. It counts from the first action
/// that the tap shows.
@MainActor
private final class PictureCount {
    private let changes: Int
    private var actions = 0
    private(set) var pictures = 0

    init(_ changes: Int) { self.changes = changes }

    var isComplete: Bool { actions > changes }

    func look(at record: TapRecord) {
        guard !isComplete else { return }
        switch (record.kind, record.name) {
        case (FrameKind.request.name, SceneMessagesList.sceneAct.name): actions += 1
        case (FrameKind.reply.name, SceneMessagesList.sceneWatch.name) where actions > 0: pictures += 1
        default: break
        }
    }
}
