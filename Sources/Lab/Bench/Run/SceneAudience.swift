import BenchMessages
import LabClock
import OperatorKit
import SceneContent

/// Clients that watch a scene. Each hands what it is shown to readers, as a console does to the pages that it serves.
@MainActor
final class SceneAudience {
    private let readerCount: Int
    private var clients: [HostClient] = []
    private var tasks: [Task<Void, Never>] = []
    /// The meter's share in the picture that is waited for.
    private var expected: Double?
    /// How many readers do not have that picture.
    private var missing = 0
    private let arrivals: AsyncThrowingStream<UInt64, any Error>
    private let arrived: AsyncThrowingStream<UInt64, any Error>.Continuation

    /// - Parameter readers: the number of readers of all clients.
    init(readers: Int) {
        readerCount = readers
        (arrivals, arrived) = AsyncThrowingStream.makeStream()
    }

    /// Adds a client, which begins to watch.
    func add(_ client: HostClient, readers: Int, of session: String) {
        clients.append(client)
        let pages = (0..<readers).map { _ in addReader() }
        let scenes = SceneChanges(of: session, over: client.chain)
        let watch: @MainActor @Sendable () async -> Void = { [weak self] in
            do {
                for try await scene in scenes {
                    let share = scene.layers.meterShare
                    for page in pages { page.yield((scene, share)) }
                }
            } catch {
                self?.fail(error)
            }
        }
        tasks.append(Task(operation: watch))
    }

    private typealias Page = AsyncStream<(scene: WatchedScene, share: Double?)>

    private func addReader() -> Page.Continuation {
        let (pictures, page) = Page.makeStream()
        let read: @MainActor @Sendable () async -> Void = { [weak self] in
            for await picture in pictures { self?.read(picture.share) }
        }
        tasks.append(Task(operation: read))
        return page
    }

    private func read(_ share: Double?) {
        guard missing > 0, share == expected else { return }
        missing -= 1
        if missing == 0 { arrived.yield(MonotonicTime.nanoseconds) }
    }

    /// Waits from now on for a picture.
    func expect(share: Double) {
        expected = share
        missing = readerCount
    }

    /// Waits until all readers have the picture.
    /// - Returns: when the last one got it, in nanoseconds on the machine's clock.
    func arrival() async throws -> UInt64 {
        for try await time in arrivals { return time }
        throw CancellationError()
    }

    /// Lets the wait fail.
    func fail(_ error: any Error) { arrived.finish(throwing: error) }

    func close() {
        for task in tasks { task.cancel() }
        for client in clients { client.close() }
    }
}

extension SceneLayers {
    /// The share of the dashboard's meter, which is read without the other blocks; `nil` before the first picture.
    fileprivate var meterShare: Double? { top?.node["blocks"]?["\(MeterBlock.type).0"]?["share"]?.number }
}
