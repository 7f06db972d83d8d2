import Bus
import CBOR
import CoordinatorKit
import Hub
import Messaging
import OperatorKit
import SceneContent
import SceneWorker
import TestKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// Clients that watch what a scene shows.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct SceneWatchTests {
        @Test("A watcher is told what an action of somebody else has changed, as a difference")
        func change() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let host = try await RemoteHost(live.ipc)
                defer { host.close() }
                _ = try await host.openSession("Wall", id: "door")
                let scenes = Watcher(host.sceneChanges(of: "door"))
                let first = try await scenes.picture()
                #expect(first.isLive)
                #expect(first.layers.top?.title == "home")
                #expect(first.difference == nil)
                let client = try await live.client()
                _ = try await client.act("door", "keep", "a note")
                let second = try await scenes.picture { $0.layers != first.layers }
                #expect(second.layers.texts == ["", "a note"])
                let difference = try #require(second.difference)
                #expect(try first.layers.applying(difference) == second.layers)
            }
        }

        @Test("Who asks once for all that a scene shows gets what an action has just changed, also while others watch")
        func once() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let client = try await live.client()
                let id = try await client.open()
                #expect(try await client.chain.hostScenePicture(session: id).top?.title == "home")
                let scenes = Watcher(SceneChanges(of: id, over: client.chain))
                _ = try await scenes.picture()
                for number in 1...5 {
                    _ = try await client.act(id, "keep", "note \(number)")
                    #expect(try await client.chain.hostScenePicture(session: id).texts == ["", "note \(number)"])
                }
                let error = await #expect(throws: RemoteError.self) {
                    try await client.chain.hostScenePicture(session: "nowhere")
                }
                #expect(error?.code == "unknownSession")
            }
        }

        @Test("Of changes that a watcher does not read in time, it gets the last picture, in one difference")
        func slow() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let host = try await RemoteHost(live.ipc)
                defer { host.close() }
                _ = try await host.openSession("Wall", id: "door")
                let slow = Watcher(host.sceneChanges(of: "door"))
                let first = try await slow.picture()
                let fast = Watcher(host.sceneChanges(of: "door"))
                _ = try await fast.picture()
                let client = try await live.client()
                for number in 1...5 {
                    _ = try await client.act("door", "keep", "note \(number)")
                    _ = try await fast.picture { $0.layers.texts.last == "note \(number)" }
                }
                let next = try await slow.picture { $0.layers != first.layers }
                #expect(next.layers.texts.last == "note 5")
                #expect(try first.layers.applying(try #require(next.difference)) == next.layers)
            }
        }

        @Test("A scene that moves is watched on, and its watcher keeps the picture meanwhile")
        func move() async throws {
            try await withHost { live in
                let first = try await live.worker("one")
                let host = try await RemoteHost(live.ipc)
                defer { host.close() }
                _ = try await host.openSession("Wall", id: "door")
                let client = try await live.client()
                _ = try await client.act("door", "keep", "remember me")
                let scenes = Watcher(host.sceneChanges(of: "door"))
                let before = try await scenes.picture()
                try await live.worker("two")
                _ = try await client.chain.hostMove(session: "door", worker: "two")
                try await live.until("the old scene is gone") { first.application.openSessions.isEmpty }
                _ = try await client.act("door", "keep", "remember me, too")
                let after = try await scenes.picture { $0.layers.texts.last == "remember me, too" }
                #expect(after.isLive)
                // The picture of the second worker differs from that of the first one in a text, and no more is sent.
                #expect(after.layers.top?.key == before.layers.top?.key)
                #expect(after.difference != nil)
            }
        }

        @Test("A watcher is told that the scene's worker is gone, keeps the picture, and goes on with the next worker")
        func lostWorker() async throws {
            try await withHost { live in
                let first = try await live.worker("one")
                let host = try await RemoteHost(live.ipc)
                defer { host.close() }
                _ = try await host.openSession("Wall", id: "door")
                let scenes = Watcher(host.sceneChanges(of: "door"))
                let before = try await scenes.picture()
                await live.stop(first)
                let away = try await scenes.picture { !$0.isLive }
                #expect(away.layers == before.layers)
                #expect(away.state == .waiting)
                #expect(away.problem != nil)
                #expect(away.since > 0)
                try await live.worker("two")
                let back = try await scenes.picture { $0.isLive }
                #expect(back.layers == before.layers)
                #expect(back.problem == nil)
            }
        }

        @Test("Who watches the scene of a worker of an earlier version sees its plain content, and what changes in it")
        func earlierWorker() async throws {
            try await withHost { live in
                let worker = EarlierWorker(try await live.rawWorker(named: "earlier", capacity: 1))
                let client = try await live.client()
                let id = try await client.open(at: worker.peer)
                let answering = Task { try await worker.answer() }
                defer { answering.cancel() }
                let host = try await RemoteHost(live.ipc)
                defer { host.close() }
                let scenes = Watcher(host.sceneChanges(of: id))
                let first = try await scenes.picture()
                #expect(first.isLive && first.layers.top?.title == "home" && first.layers.texts == ["one"])
                worker.text = "two"
                let second = try await scenes.picture { $0.layers != first.layers }
                #expect(second.isLive && second.layers.texts == ["two"])
                // It is sent on as a difference, although the worker sends the whole each time.
                #expect(try first.layers.applying(try #require(second.difference)) == second.layers)
                #expect(Set(worker.asked) == ["sceneWatch", "sceneContent"])
                // Who asks once gets the same.
                #expect(try await client.chain.hostScenePicture(session: id) == second.layers)
            }
        }

        @Test("The end of a session ends its watchers, and a session that is not open cannot be watched")
        func closed() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let host = try await RemoteHost(live.ipc)
                defer { host.close() }
                _ = try await host.openSession("Wall", id: "door")
                let scenes = Watcher(host.sceneChanges(of: "door"))
                _ = try await scenes.picture()
                try await host.closeSession("door")
                let error = await #expect(throws: RemoteError.self) {
                    while try await scenes.next() != nil {}
                }
                #expect(error?.code == "unknownSession")
                let unknown = Watcher(host.sceneChanges(of: "nowhere"))
                await #expect(throws: RemoteError.self) { try await unknown.next() }
            }
        }

        @Test("A picture beyond its bounds is counted, and a text that says the bound takes its place")
        func beyondBounds() async throws {
            try await withHost { live in
                let client = try await live.client()
                let worker = try await live.rawWorker(named: "wall", capacity: 1)
                let id = try await client.open(at: worker)
                let scenes = Watcher(SceneChanges(of: id, over: client.chain))
                let watching = Task { try await scenes.picture() }
                let asked = try await worker.next("sceneWatch")
                let text = TextBlock(String(repeating: "x", count: ContentBounds.text + 1)).node
                let picture = SceneUpdate(
                    revision: SceneRevision(token: asked.token, number: 1),
                    content: SceneLayers([ContentLayer(key: "screen", title: "", blocks: [("text", text)])]))
                try worker.reply(to: asked, with: CBOREncoder().encode(picture))
                let shown = try await watching.value.layers.texts
                #expect(shown.count == 1 && shown.first?.contains("at most \(ContentBounds.text)") == true, "\(shown)")
                #expect(try await client.chain.hostStatus().counters["refused: a scene's picture"] == 1)
            }
        }

        @Test("A scene that nobody watches any more is forgotten")
        func nobody() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let client = try await live.client()
                let id = try await client.open()
                let watching = try #require(live.host.life?.control.watching)
                #expect(watching.isEmpty)
                let scenes = Watcher(SceneChanges(of: id, over: client.chain))
                _ = try await scenes.picture()
                #expect(!watching.isEmpty)
                try await live.until("the scene is forgotten") { watching.isEmpty }
            }
        }

        @Test("Who watches a scene is told who else does, and when somebody has gone")
        func company() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let host = try await RemoteHost(live.ipc)
                defer { host.close() }
                _ = try await host.openSession("Wall", id: "door")
                let scenes = Watcher(host.sceneChanges(of: "door"))
                let first = try await scenes.picture()
                #expect(first.others.isEmpty && first.furtherOthers == 0)
                let client = try await live.client()
                let viewers = SceneViewers(on: "terminal")
                let other = Task {
                    for try await _ in SceneChanges(of: "door", for: viewers, over: client.chain) {}
                }
                let second = try await scenes.picture { !$0.others.isEmpty }
                #expect(second.others == ["terminal"] && second.layers == first.layers)
                #expect(second.difference?.isEmpty == true)
                // As a console does when a user comes.
                viewers.change(to: SceneWatchers([SceneWatcher(surface: "browser", name: "Ada")], more: 2))
                let third = try await scenes.picture { $0.furtherOthers > 0 }
                #expect(third.others == ["Ada"] && third.furtherOthers == 2)
                other.cancel()
                let last = try await scenes.picture { $0.others.isEmpty }
                #expect(last.furtherOthers == 0 && last.isLive)
            }
        }

        @Test("A host that ends does not wait for watchers, and tells them that it is away")
        func ending() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let host = try await RemoteHost(live.ipc)
                _ = try await host.openSession("Wall", id: "door")
                let scenes = Watcher(host.sceneChanges(of: "door"))
                let before = try await scenes.picture()
                let waiting = Task { try await scenes.picture { $0.state == nil } }
                try await live.until("the watcher asks") { live.host.life?.control.watching.isEmpty == false }
                await live.endHost()
                let away = try await waiting.value
                #expect(away.layers == before.layers)
                host.close()
                await #expect(throws: (any Error).self) { while try await scenes.next() != nil {} }
            }
        }
    }
}

/// A client that watches a scene.
@MainActor
private final class Watcher {
    private var scenes: SceneChanges.Iterator

    init(_ changes: SceneChanges) { scenes = changes.makeAsyncIterator() }

    func next() async throws -> WatchedScene? {
        var iterator = scenes
        defer { scenes = iterator }
        return try await iterator.next()
    }

    /// Returns the next element that shows something, and that a condition holds for.
    func picture(where isWanted: @MainActor (WatchedScene) -> Bool = { _ in true }) async throws -> WatchedScene {
        while let scene = try await next() {
            if !scene.layers.layers.isEmpty, isWanted(scene) { return scene }
        }
        throw CancellationError()
    }
}

/// A worker of a version that knows no pictures: of what a scene shows, it has the plain content.
@MainActor
private final class EarlierWorker {
    let peer: RawPeer
    /// What its scenes show.
    var text = "one"
    /// The requests that it was sent.
    private(set) var asked: [String] = []

    init(_ peer: RawPeer) { self.peer = peer }

    /// Answers requests until the task is cancelled.
    func answer() async throws {
        while true {
            let request = try await peer.next(.request)
            asked.append(request.name)
            if request.name == "sceneContent" {
                let content = ScreenContent(title: "home", texts: [text])
                try peer.reply(to: request, with: try CBOREncoder().encode(content))
            } else {
                var failure = Frame(.failure)
                failure.id = request.id
                let error = MessageError(.unhandled, message: request.name)
                try peer.send(failure.encoded(payload: FailureEncoding(error)))
            }
        }
    }
}

extension SceneLayers {
    /// The texts of the layer on top.
    fileprivate var texts: [String] {
        (top?.blocks ?? []).compactMap { _, block in if case .text(let text) = block { text.text } else { nil } }
    }
}
