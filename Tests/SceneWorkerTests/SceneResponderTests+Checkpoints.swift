import Bus
import CBOR
import CoordinatorKit
import TestKit
import Testing
import ZeroMQ

@testable import SceneWorker

/// The states that a worker sends to the host, from which the next scenes of its sessions start.
extension SceneResponderTests {
    @Test("A change of what the scene keeps is sent to the host as a checkpoint, once, before the reply to the input")
    func checkpoint() async throws {
        try await withWorker { running in
            // No state is due before the test ends.
            try running.scenes.checkpointInterval = .seconds(3600)
            try await running.connect(token: 7)
            for text in ["note", "note", "other"] { _ = try await running.act("keep", ["text": text], token: 7) }
            #expect(running.host.posts.map(\.name) == ["sceneCheckpoint", "sceneCheckpoint"])
            #expect(running.host.posts.map(\.session) == ["s", "s"])
            #expect(running.host.posts.map(\.token) == [7, 7])
            let kept = try running.checkpoints.map { try SceneRestorationState<BoardPage>($0)?.screens.map(\.kept) }
            #expect(kept == [[["note": "note"]], [["note": "other"]]])
        }
    }

    @Test("The state of a scene that was connected with a link is sent before the reply")
    func connectedWithLink() async throws {
        try await withWorker { running in
            try running.scenes.checkpointInterval = .seconds(3600)
            let link = try CBORRaw(encoding: DeepLink.url("board://second"))
            _ = try await running.reply(
                to: SceneMessagesList.sceneConnect(
                    session: "s", role: SceneSession.Role.windowApplication.rawValue, configuration: "Board",
                    token: 1, state: nil, links: [link]))
            #expect(running.host.posts.map(\.name) == ["sceneCheckpoint"])
        }
    }

    @Test("A change that no input has made is sent to the host within the interval")
    func changeWithoutInput() async throws {
        try await withWorker { running in
            try await running.connect()
            try await running.host.until("the first state has come") { running.host.posts.count == 1 }
            try running.keep("alone")
            try await running.host.until("the change has come") { running.host.posts.count == 2 }
            let state = try SceneRestorationState<BoardPage>(running.checkpoints[1])
            #expect(state?.screens.map(\.kept) == [["note": "alone"]])
        }
    }

    @Test("A scene that changes again and again sends a checkpoint as soon as one that has changed once")
    func steadyChanges() async throws {
        try await withWorker { running in
            let scenes = try running.scenes
            scenes.checkpointInterval = .seconds(3600)
            try await running.connect()
            let due = try #require(scenes.timer.deadline)
            for text in ["one", "two", "three"] { try running.keep(text) }
            #expect(scenes.timer.deadline == due)
        }
    }

    @Test("A link that a scene has opened is in its next checkpoint, even if the scene shows nothing new")
    func openedLink() async throws {
        let activity = UserActivity(activityType: "test.shelf", title: "shelf")
        try await withWorker(scenes: ActivityKeeper.self) { running in
            try await running.connect()
            let link = try CBORRaw(encoding: DeepLink.activity(activity))
            _ = try await running.reply(to: SceneMessagesList.sceneOpen(session: "s", link: link))
            try await running.host.until("its state has come") { !running.host.posts.isEmpty }
            #expect(try running.checkpoints == [activity])
        }
    }

    @Test("A host that ends gets the states of scenes that have just changed before it loses the link")
    func hostEnds() async throws {
        try await withWorker { running in
            let scenes = try running.scenes
            // The state is not due before the host ends, however long that takes.
            scenes.checkpointInterval = .seconds(3600)
            try await running.connect()
            try running.keep("last")
            #expect(running.host.posts.isEmpty)
            running.host.say(Frame(.goodbye).encoded())
            try await running.host.until("the state has come") { !running.host.posts.isEmpty }
            let checkpoint = try #require(try running.checkpoints.last)
            let state = try SceneRestorationState<BoardPage>(checkpoint)
            #expect(state?.screens.map(\.kept) == [["note": "last"]])
        }
    }

    @Test("A worker that ends sends the last state of its scenes before it leaves")
    func end() async throws {
        try await withWorker { running in
            try await running.connect()
            try await running.host.until("the first state has come") { running.host.posts.count == 1 }
            try running.keep("last")
            await running.stop()
            try await running.host.until("the last state has come") { running.host.posts.count == 2 }
            #expect(running.worker.application.connectedScenes.isEmpty)
        }
    }
}
