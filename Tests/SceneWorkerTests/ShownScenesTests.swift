import Bus
import SceneContent
import Testing
import ZeroMQ

@testable import SceneWorker

/// When the host's questions for what a scene shows are answered.
@Suite(.timeLimit(.minutes(5)))
struct ShownScenesTests {
    private let start = MonotonicInstant.now

    @Test("The first question is answered with the whole, the next one with what has changed")
    func answers() throws {
        var scenes = ShownScenes()
        let first = scenes.ask("s", known: nil, at: start)
        #expect(scenes.due(at: start).ids == ["s"])
        let whole = try present(scenes.drawn("s", content("one"), token: 3, at: start)[first])
        #expect(whole.content == content("one"))
        let second = scenes.ask("s", known: whole.revision.number, at: start)
        #expect(scenes.due(at: start + .seconds(1)).ids == [])
        #expect(scenes.changed("s", at: start + .seconds(1)) == start + .seconds(1))
        #expect(scenes.due(at: start + .seconds(1)).ids == ["s"])
        let change = try present(scenes.drawn("s", content("two"), token: 3, at: start + .seconds(1))[second])
        #expect(change.content == nil)
        #expect(try content("one").applying(try present(change.difference)) == content("two"))
        #expect(change.revision.number == whole.revision.number + 1)
    }

    @Test("A change that shows nothing else is not sent")
    func same() throws {
        var scenes = ShownScenes()
        let first = scenes.ask("s", known: nil, at: start)
        let whole = try present(scenes.drawn("s", content("one"), token: 3, at: start)[first])
        let second = scenes.ask("s", known: whole.revision.number, at: start)
        _ = scenes.changed("s", at: start)
        #expect(scenes.drawn("s", content("one"), token: 3, at: start).isEmpty)
        let unchanged = try present(scenes.unchanged(second, of: "s", token: 3, at: start))
        #expect(unchanged == SceneUpdate(revision: whole.revision))
    }

    @Test("Pictures follow each other at an interval")
    func interval() throws {
        var scenes = ShownScenes()
        let first = scenes.ask("s", known: nil, at: start)
        let whole = try present(scenes.drawn("s", content("one"), token: 3, at: start)[first])
        _ = scenes.ask("s", known: whole.revision.number, at: start)
        #expect(scenes.changed("s", at: start) == start + ShownScenes.interval)
        #expect(scenes.due(at: start).ids == [])
        #expect(scenes.due(at: start).next == start + ShownScenes.interval)
        #expect(scenes.due(at: start + ShownScenes.interval).ids == ["s"])
    }

    @Test("A change before the next question is in its answer")
    func between() throws {
        var scenes = ShownScenes()
        let first = scenes.ask("s", known: nil, at: start)
        let whole = try present(scenes.drawn("s", content("one"), token: 3, at: start)[first])
        #expect(scenes.changed("s", at: start) == nil)
        let later = start + .seconds(1)
        let second = scenes.ask("s", known: whole.revision.number, at: later)
        #expect(scenes.due(at: later).ids == ["s"])
        #expect(scenes.drawn("s", content("two"), token: 3, at: later)[second]?.difference != nil)
    }

    @Test("An asker with another picture gets the whole, and a number never stands for two pictures")
    func otherPicture() throws {
        var scenes = ShownScenes()
        let first = scenes.ask("s", known: nil, at: start)
        let whole = try present(scenes.drawn("s", content("one"), token: 3, at: start)[first])
        let lost = scenes.ask("s", known: 77, at: start + .seconds(1))
        #expect(scenes.drawn("s", content("one"), token: 3, at: start + .seconds(1))[lost]?.content == content("one"))
        // Nobody asks for a while: the picture is forgotten, and the next one has another number.
        _ = scenes.due(at: start + .seconds(60))
        #expect(scenes.isEmpty)
        let again = scenes.ask("s", known: nil, at: start + .seconds(61))
        let next = try present(scenes.drawn("s", content("two"), token: 3, at: start + .seconds(61))[again])
        #expect(next.revision.number > whole.revision.number)
    }

    @Test("What nobody asks for any more is forgotten with its images, although it never changes")
    func quiet() throws {
        var scenes = ShownScenes()
        let image = ImageData(Array("GIF89a".utf8) + [8, 0, 4, 0])
        var known: UInt64?
        for id in ["quiet", "other", "watched"] {
            let question = scenes.ask(id, known: nil, at: start)
            scenes.drawn(id, [image.hash: image])
            known = try present(scenes.drawn(id, content("one"), token: 3, at: start)[question]).revision.number
        }
        let waiting = scenes.ask("watched", known: known, at: start)
        let end = start + ShownScenes.rest
        #expect(scenes.due(at: start + .seconds(1)).next == end)
        #expect(scenes.image(image.hash, of: "quiet") != nil)
        #expect(scenes.due(at: end).next == nil)
        #expect(scenes.image(image.hash, of: "quiet") == nil)
        // One that is asked for is kept, however long nothing changes, and some time longer, until it is asked for again.
        let later = start + .seconds(20)
        _ = scenes.unchanged(waiting, of: "watched", token: 3, at: later)
        #expect(scenes.due(at: later + .seconds(1)).next == later + ShownScenes.rest)
        #expect(scenes.image(image.hash, of: "watched") != nil)
        let withdrawn = scenes.ask("watched", known: nil, at: later)
        scenes.withdraw(withdrawn, of: "watched", at: later + .seconds(1))
        _ = scenes.due(at: later + .seconds(1) + ShownScenes.rest)
        #expect(scenes.isEmpty)
    }

    @Test("The end of a scene ends its questions")
    func ended() {
        var scenes = ShownScenes()
        let question = scenes.ask("s", known: nil, at: start)
        #expect(scenes.forget("s") == [question])
        #expect(scenes.isEmpty)
        #expect(scenes.changed("s", at: start) == nil)
    }

    private func content(_ text: String) -> SceneLayers {
        SceneLayers([ContentLayer(key: "screen", title: "", blocks: [("text", TextBlock(text).node)])])
    }
}

/// Returns a value that must be there. `#require` cannot read what a mutating method returns.
private func present<Value>(_ value: Value?) throws -> Value { try #require(value) }
