import Bus
import Messaging
import SceneContent
import Testing
import ZeroMQ

@testable import SceneHost

/// What workers send that is wrong, too large, or of an earlier version.
extension SceneWatchesTests {
    @Test("What a worker sends in the wrong form, or too large, is replaced by a text, and what comes next is taken")
    func hostile() throws {
        var watches = SceneWatches()
        _ = try ask(&watches, known: nil)
        let nonsense = SceneLayers(node: .map(["layers": .map(["a": .list([])])]))
        #expect(watches.received(SceneUpdate(revision: revision(1), content: nonsense), of: "s", from: "worker") != nil)
        #expect(watches.received(update(2, "good"), of: "s", from: "worker") == nil)
        let huge = SceneLayers(
            node: .map([
                "layers": .map([
                    "screen": .map([
                        "blocks": .map([:]), "x": .list(Array(repeating: 1, count: 3 * ContentBounds.nodes)),
                    ])
                ])
            ]))
        #expect(watches.received(SceneUpdate(revision: revision(3), content: huge), of: "s", from: "worker") != nil)
        let question = try ask(&watches, known: nil)
        let shown = try present(watches.answers(of: "s", at: start)[question]?.update?.content)
        #expect(shown.isWellFormed && shown.node.cost < 5000)
    }

    @Test("A worker that numbers its pictures without a rest of numbers, and then cannot be asked, harms nobody")
    func largestNumber() throws {
        var watches = SceneWatches()
        _ = try ask(&watches, known: nil)
        #expect(watches.received(update(.max, "one"), of: "s", from: "worker") == nil)
        let plain = ScreenContent(title: "two")
        #expect(watches.received(plain: plain, of: "s", from: "worker", token: 7) == nil)
        #expect(watches.revision(of: "s") == revision(1))
    }

    @Test("The pictures of a worker that cannot be asked for changes have other numbers after nobody has watched")
    func plainAfterRest() throws {
        var watches = SceneWatches()
        let first = try ask(&watches, known: nil)
        _ = watches.received(plain: ScreenContent(title: "one"), of: "s", from: "worker", token: 7)
        let known = try present(watches.answers(of: "s", at: start)[first]?.update?.revision)
        _ = watches.forgetUnwatched(at: start + SceneWatches.rest)
        #expect(watches.isEmpty)
        let second = try ask(&watches, known: known)
        _ = watches.received(plain: ScreenContent(title: "two"), of: "s", from: "worker", token: 7)
        #expect(watches.answers(of: "s", at: start)[second]?.update?.content?.top?.title == "two")
        // The same again is no news.
        let last = watches.revision(of: "s")
        _ = try ask(&watches, known: last)
        _ = watches.received(plain: ScreenContent(title: "two"), of: "s", from: "worker", token: 7)
        #expect(watches.answers(of: "s", at: start).isEmpty)
    }

    @Test("A picture beyond the bounds of contents is not shown, and the worker is asked for the whole after it")
    func beyondBounds() throws {
        let rows = (0..<ContentBounds.rows).map { ("\($0)", ContentNode.map([:])) }
        let table = ContentNode.map([
            "type": "table", "rows": .map(Dictionary(uniqueKeysWithValues: rows)),
            "columns": .list(Array(repeating: .map(["label": "x"]), count: ContentBounds.columns)),
        ])
        let pictures: [SceneLayers] = [
            SceneLayers([
                ContentLayer(
                    key: "screen", title: "",
                    blocks: [("text", TextBlock(String(repeating: "x", count: ContentBounds.text + 1)).node)])
            ]),
            SceneLayers([
                ContentLayer(
                    key: "screen", title: String(repeating: "x", count: ContentBounds.text + 1),
                    blocks: [("text", TextBlock("x").node)])
            ]),
            // Empty cells are drawn, too.
            SceneLayers([ContentLayer(key: "screen", title: "", blocks: (0..<20).map { ("\($0)", table) })]),
            // What is not shown is sent to who watches, too.
            SceneLayers((0...ContentBounds.layers).map { ContentLayer(key: "\($0)", title: "", blocks: []) }),
            SceneLayers(
                node: .map([
                    "layers": .map(["screen": .map(["blocks": .map([:])])]),
                    "order": .list([.text(String(repeating: "x", count: 2 * ContentBounds.bytes))]),
                ])),
        ]
        for picture in pictures {
            var watches = SceneWatches()
            _ = try ask(&watches, known: nil)
            let update = SceneUpdate(revision: revision(1), content: picture)
            #expect(watches.received(update, of: "s", from: "worker") != nil)
            #expect(watches.revision(of: "s") == nil)
            #expect(watches.received(difference(2, "two", since: "one"), of: "s", from: "worker") != nil)
            #expect(watches.received(self.update(3, "good"), of: "s", from: "worker") == nil)
            #expect(picture.bounded.excess == nil)
        }
    }

    @Test("A worker whose pictures fill the room does not take that of another one")
    func shares() throws {
        var watches = SceneWatches()
        let large = SceneLayers([
            ContentLayer(
                key: "screen", title: "",
                blocks: (0..<60).map { ("\($0)", TextBlock(String(repeating: "x", count: 16 << 10)).node) })
        ])
        var shown = 0
        for number in 0..<1000 {
            let id = "greedy \(number)"
            _ = watches.ask(
                id, .init(state: .running), condition: Self.running, from: Self.asker("\(number)"), at: start, time: 100
            )
            guard watches.received(SceneUpdate(revision: revision(1), content: large), of: id, from: "greedy") == nil
            else { break }
            shown += 1
        }
        #expect(shown < 1000)
        _ = try ask(&watches, known: nil)
        #expect(watches.received(SceneUpdate(revision: revision(1), content: large), of: "s", from: "worker") == nil)
    }

    @Test("A difference that does not fit makes the next question ask for the whole")
    func doesNotFit() throws {
        var watches = SceneWatches()
        _ = try ask(&watches, known: nil)
        _ = watches.received(update(1, "one"), of: "s", from: "worker")
        let wrong = ContentDifference(node: .map(["layers": .map(["other": .map(["title": "x"])])]))
        #expect(watches.received(SceneUpdate(revision: revision(2), difference: wrong), of: "s", from: "worker") != nil)
        #expect(watches.revision(of: "s") == nil)
    }
}

/// Returns a value that must be there. `#require` cannot read what a mutating method returns.
private func present<Value>(_ value: Value?) throws -> Value { try #require(value) }
