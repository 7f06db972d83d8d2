import Bus
import CoordinatorKit
import SceneContent
import TestKit
import Testing
import ZeroMQ

@testable import SceneWorker

extension SceneResponderTests {
    /// A scene with fields: what is typed into them and not sent yet, and when the scene is drawn.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct NoteTests {
        /// Runs a worker with one scene.
        private func withNote(
            _ body: @MainActor (_ running: RunningWorker, _ screen: NoteScreen, _ layer: String) async throws -> Void
        ) async throws {
            try await withWorker(scenes: WindowSceneDelegate<NoteCoordinator>.self) { running in
                // No state is due before the test ends.
                try running.scenes.checkpointInterval = .seconds(3600)
                try await running.connect()
                let window = try #require(running.worker.application.connectedScenes.first?.window)
                let navigation = try #require(window.rootViewController as? NavigationController)
                let screen = try #require(navigation.topViewController as? NoteScreen)
                try await body(running, screen, try #require(window.layers.top?.key))
            }
        }

        /// What the screens keep by the states that the host has.
        private func kept(_ running: RunningWorker) throws -> [[[String: String]]?] {
            try running.checkpoints.map { try SceneRestorationState<NotePage>($0)?.screens.map(\.kept) }
        }

        @Test("What is typed and not sent is stored, and the host has the state before the reply says so")
        func stored() async throws {
            try await withNote { running, screen, layer in
                var frames: [FrameKind] = []
                running.host.onFrame = { frame in
                    if [.post, .reply, .failure].contains(frame.kind) { frames.append(frame.kind) }
                }
                for text in ["ada", "ada", "ada l"] { try await running.fill(["note": text], in: layer) }
                #expect(screen.note == "ada l")
                // The same again is no news.
                #expect(frames == [.post, .reply, .reply, .post, .reply])
                #expect(running.host.posts.map(\.name) == ["sceneCheckpoint", "sceneCheckpoint"])
                #expect(try kept(running) == [[["note": "ada"]], [["note": "ada l"]]])
            }
        }

        @Test("What is too long, or was typed in another layer, is refused with words, and nothing of it is stored")
        func refused() async throws {
            try await withNote { running, screen, layer in
                let large = Dictionary(
                    uniqueKeysWithValues: (0..<17).map { ("field\($0)", String(repeating: "x", count: 16_384)) })
                let cases: [(fields: [String: String], layer: String, words: String)] = [
                    (
                        ["note": String(repeating: "x", count: 16_385), "guests": "2"], layer,
                        "'note' has 16385 bytes, and a field takes at most 16384: shorten the text"
                    ),
                    (
                        large.merging(["note": "x"]) { $1 }, layer,
                        "the fields have 278529 bytes together, and a screen takes at most 262144: shorten the texts"
                    ),
                    (["note": "x"], "another", "the scene shows another screen now"),
                ]
                for (fields, layer, words) in cases {
                    let error = await #expect(throws: RemoteError.self) { try await running.fill(fields, in: layer) }
                    #expect(error?.sceneCommandCode == .refused)
                    #expect(error?.message.contains(words) == true, "\(String(describing: error))")
                }
                #expect(screen.note == "" && screen.guests == 1)
                #expect(running.host.posts.isEmpty)
                try await running.fill(["note": String(repeating: "x", count: 16_384)], in: layer)
                #expect(screen.note.utf8.count == 16_384)
            }
        }

        @Test("What no field takes is left out: it may be half of a number, or for a field that is gone")
        func leftOut() async throws {
            try await withNote { running, screen, layer in
                try await running.fill(["note": "ada", "guests": "two", "nobody": "x"], in: layer)
                #expect(screen.note == "ada" && screen.guests == 1)
                #expect(try kept(running) == [[["note": "ada"]]])
            }
        }

        @Test("Nothing is stored in a scene that is suspended: the next one has its state already")
        func suspended() async throws {
            try await withNote { running, screen, layer in
                _ = try await running.freeze()
                #expect(await running.code { try await running.fill(["note": "late"], in: layer) } == .suspended)
                #expect(screen.note == "")
            }
        }

        @Test("Who watches is told at once what is typed")
        func watched() async throws {
            try await withNote { running, _, layer in
                let first = try await running.reply(to: SceneMessagesList.sceneWatch(session: "s", known: nil))
                let waiting = try running.send(SceneMessagesList.sceneWatch(session: "s", known: first.revision.number))
                try await running.fill(["note": "ada"], in: layer)
                let second = try await running.end(of: waiting, as: SceneUpdate.self)
                let shown = try #require(first.content).applying(try #require(second.difference))
                #expect(shown.top?.fields["note"]?.value == "ada")
            }
        }

        @Test("A scene that changes is drawn while somebody watches, and otherwise never")
        func drawn() async throws {
            try await withNote { running, screen, _ in
                let scenes = try running.scenes
                let unwatched = screen.drawings
                for number in 1...10 {
                    screen.note = "\(number)"
                    try await running.host.turn()
                }
                #expect(screen.drawings == unwatched)
                #expect(scenes.drawing.deadline == nil)

                let first = try await running.reply(to: SceneMessagesList.sceneWatch(session: "s", known: nil))
                #expect(first.content?.top?.fields["note"]?.value == "10")
                let waiting = try running.send(SceneMessagesList.sceneWatch(session: "s", known: first.revision.number))
                try await running.host.until("the question waits") { !scenes.watchers.isEmpty }
                let drawings = screen.drawings
                #expect(drawings > unwatched)
                for number in 11...20 { screen.note = "\(number)" }
                #expect(try await running.end(of: waiting, as: SceneUpdate.self).difference != nil)
                #expect(screen.drawings > drawings)
            }
        }
    }
}

extension RunningWorker {
    /// Passes on what somebody has typed and not sent yet.
    fileprivate func fill(_ fields: [String: String], in layer: String) async throws {
        _ = try await reply(to: SceneMessagesList.sceneFill(session: "s", layer: layer, fields: fields))
    }
}

private enum NotePage: Page { case home }

/// A screen with two fields, which counts how often it was drawn.
private final class NoteScreen: ViewController {
    @Kept var note = ""
    @Kept var guests = 1
    private(set) var drawings = 0

    override var screen: Screen? {
        drawings += 1
        return Screen("Note") {
            Field("Note", $note)
            Field("Guests", $guests)
        }
    }
}

private final class NoteCoordinator: SceneCoordinator<NotePage> {
    override var initialPage: NotePage? { .home }

    override func displayPage(_ page: NotePage) {
        let screen = NoteScreen()
        screen.page = page
        root(screen)
    }
}
