import Bus
import ChaosHistory
import Messaging
import ServiceLifecycle

/// The continuous traffic of a client: requests, inputs for scenes and what is typed into them, queries of sessions and states,
/// its own sessions, and scenes that it watches.
@MainActor
final class ChaosTraffic: Service {
    private let client: ChaosClient
    private let watches: [SceneWatch]
    private var sessions: [String] = []
    private var own: [String] = []
    /// The last number that was typed.
    private var typed = 0

    /// - Parameter watched: the sessions whose scenes the client watches all the time.
    init(_ client: ChaosClient, watched: [String]) {
        self.client = client
        watches = watched.map { SceneWatch(client: client, session: $0) }
    }

    func run() async throws {
        client.start()
        defer { client.stop() }
        var jobs: [@MainActor @Sendable () async -> Void] = [
            { await self.repeating(every: 20...150) { await self.request() } },
            { await self.repeating(every: 20...150) { await self.request() } },
            { await self.repeating(every: 30...120) { await self.input() } },
            { await self.repeating(every: 100...400) { await self.fill() } },
            { await self.repeating(every: 250...250) { await self.look() } },
            { await self.repeating(every: 150...400) { await self.readState() } },
            { await self.repeating(every: 700...2500) { await self.openOrClose() } },
            { await self.repeating(every: 300...1500) { await self.move() } },
        ]
        for watch in watches { jobs.append { await watch.run() } }
        let (ends, end) = AsyncStream<Void>.makeStream()
        await withTaskGroup { group in
            for job in jobs { group.addTask(operation: job) }
            await withTaskCancellationOrGracefulShutdownHandler {
                for await _ in ends {}
            } onCancelOrGracefulShutdown: {
                end.finish()
            }
            group.cancelAll()
        }
    }

    private func repeating(every pause: ClosedRange<Int>, _ body: @MainActor () async -> Void) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(Int.random(in: pause)))
            // After the end of the traffic, only the entries are watched.
            if !Task.isCancelled, !client.isQuiet { await body() }
        }
    }

    private func request() async {
        await client.recorder.sendAny(client.chain) { client.container }
    }

    private func input() async {
        guard let session = sessions.randomElement() else { return }
        let limit = Duration.milliseconds(Int.random(in: 500...3000))
        let chain = client.chain.within(limit)
        if let layer = client.layer, Bool.random() {
            // As a browser does: what identifies the action stays the same when it is sent again.
            let chain = chain.identified(by: .new())
            await client.recorder.sendUntilKnown(.action, within: limit) { id in
                try await chain.hostScenePerform(
                    session: session, layer: layer, action: ChaosScreen.input, fields: ["id": id])
            }
        } else {
            _ = await client.recorder.send(.input, within: limit) { id in
                try await chain.hostSceneAct(session: session, action: ChaosScreen.input, fields: ["id": id])
            }
        }
    }

    /// Types the next number into this client's field of a scene, and half of the time of one that is watched.
    private func fill() async {
        let watched = Bool.random() ? watches.randomElement()?.session : nil
        guard let layer = client.layer, let session = watched ?? sessions.randomElement() else { return }
        typed += 1
        let (field, number) = (client.log.process, typed)
        let id = RequestRecorder.id(ofTyped: number, in: field, of: session)
        client.log.write(.typing(id: id, session: session, field: field, number: number))
        let limit = Duration.milliseconds(Int.random(in: 500...3000))
        let chain = client.chain.within(limit)
        _ = await client.recorder.send(.fill, id: id, within: limit) { _ in
            try await chain.hostSceneFill(session: session, layer: layer, fields: [field: "\(number)"])
        }
    }

    private func look() async {
        if let placements = await client.look() { sessions = placements.keys.sorted() }
    }

    private func readState() async {
        guard let session = sessions.randomElement(), let kept = await client.kept(in: session) else { return }
        client.log.write(.stored(session: session, count: ChaosScreen.count(in: kept)))
    }

    private func move() async {
        guard let session = sessions.randomElement() else { return }
        _ = await client.control { try await $0.hostMove(session: session, worker: nil) }
    }

    /// Opens and closes a few sessions. Each client closes only its own.
    private func openOrClose() async {
        if own.count >= 4 {
            let session = own.removeFirst()
            client.log.write(.closing(session: session))
            _ = await client.control { try await $0.hostCloseSession(session: session) }
        } else if let session = await client.openSession() {
            own.append(session)
        }
    }
}
