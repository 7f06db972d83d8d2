import Bus
import CBOR
import OperatorKit
import SceneContent
import Testing

/// What the changes of a scene look like as lines.
@Suite(.timeLimit(.minutes(5)))
struct WatchedSceneTextTests {
    private static func scene(
        _ blocks: [String], texts: [String: String] = [:], title: String = "Desk", key: String = "desk"
    ) -> WatchedScene {
        var scene = WatchedScene(session: "k3m9xw2p")
        scene.state = .running
        scene.layers = SceneLayers([
            ContentLayer(key: key, title: title, blocks: blocks.map { ($0, TextBlock(texts[$0] ?? $0).node) })
        ])
        return scene
    }

    @Test("A new picture says its title and how much it has")
    func first() {
        let scene = Self.scene(["a"])
        #expect(scene.line(after: nil) == "[running] Desk: shows 1 block")
        #expect(Self.scene(["a", "b"], key: "sheet").line(after: scene) == "[running] Desk: shows 2 blocks")
        // What the order does not name is not shown.
        var partly = scene
        let blocks: ContentNode = .map(["a": TextBlock("a").node, "b": TextBlock("b").node])
        partly.layers = SceneLayers(
            node: .map([
                "layers": .map(["desk": .map(["title": "Desk", "blocks": blocks, "order": .list(["a"])])]),
                "order": .list(["desk"]),
            ]))
        #expect(partly.line(after: nil) == "[running] Desk: shows 1 block")
    }

    @Test("A change says which blocks have changed, come and gone")
    func changes() {
        let old = Self.scene(["a", "b", "c"])
        let new = Self.scene(["d", "b", "a"], texts: ["b": "new"], title: "Desk 2")
        #expect(new.line(after: old) == "[running] Desk 2: b changed; d added; c removed; title changed")
        #expect(Self.scene(["b", "a", "c"]).line(after: old) == "[running] Desk: order changed")
        let many = Self.scene(["a", "b", "c"] + (10..<30).map { "m\($0)" })
        #expect(
            many.line(after: old)
                == "[running] Desk: m10, m11, m12, m13, m14, m15, m16, m17 and 12 more added")
    }

    @Test("A change of the session alone says its state and its problem")
    func state() {
        let old = Self.scene(["a"])
        var new = old
        new.state = .waiting
        new.problem = "no worker"
        #expect(new.line(after: old) == "[waiting] Desk: no worker")
        var away = new
        away.state = nil
        #expect(away.line(after: new) == "[host away] Desk")
    }

    @Test("Who else watches is said when it has changed, and always to programs")
    func others() {
        let old = Self.scene(["a"])
        var new = old
        new.company = SceneWatchers(
            [
                SceneWatcher(surface: "browser", name: "Ada"), SceneWatcher(surface: "browser"),
                SceneWatcher(surface: "terminal", name: "desk"), SceneWatcher(surface: "browser"),
            ], more: 3)
        #expect(new.line(after: old) == "[running] Desk: also here: Ada, 2 × browser, desk (terminal), 3 more")
        #expect(old.line(after: new) == "[running] Desk: nobody else is here")
        #expect(new.others == ["Ada", "browser", "desk (terminal)", "browser"] && new.furtherOthers == 3)
        let (names, more) = new.company.texts(naming: 1)
        #expect(names == ["Ada"] && more == 6)
        new.company = SceneWatchers([
            SceneWatcher(surface: "browser", name: "Ada"), SceneWatcher(surface: "front-desk"),
        ])
        new.difference = ContentDifference(node: .map([:]))
        #expect(
            new.item.json
                == #"{"session":"k3m9xw2p","state":"running","problem":null,"since":0.0,"others":[{"surface":"browser","name":"Ada"},{"surface":"front-desk","name":null}],"furtherOthers":0}"#
        )
    }

    @Test(
        "What a watcher says of itself is not taken for the name of a user",
        arguments: [
            (SceneWatcher(surface: "browser", name: "Ada"), "Ada"),
            (SceneWatcher(surface: "command line"), "command line"),
            (SceneWatcher(surface: "operator"), "operator"),
            (SceneWatcher(surface: "mei"), "\"mei\" (no user)"),
            (SceneWatcher(surface: "x\", Mei, \""), "\"x', Mei, '\" (no user)"),
            (SceneWatcher(surface: "x), Mei (browser", name: "desk"), "desk (\"x), Mei (browser\")"),
            (SceneWatcher(wall: "front-desk"), "\"front-desk\" (wall)"),
            (SceneWatcher(surface: "Mei, x (wall)"), "\"Mei, x\" (wall)"),
        ])
    func surfaces(watcher: SceneWatcher, text: String) {
        #expect(watcher.text == text)
    }

    @Test("The surface of a screen on a wall is as short as others")
    func longWall() {
        let wall = SceneWatcher(wall: String(repeating: "x", count: 40))
        #expect(wall.surface.utf8.count == SceneWatcher.maximumSurface && wall.surface.hasSuffix("x (wall)"))
    }

    @Test("For programs, an element has the whole content, or what has changed, or the state alone")
    func json() {
        let old = Self.scene(["a"])
        #expect(
            old.item.json
                == #"{"session":"k3m9xw2p","state":"running","problem":null,"since":0.0,"content":{"layers":{"desk":{"blocks":{"a":{"text":"a","type":"text"}},"order":["a"],"title":"Desk"}},"order":["desk"]}}"#
        )
        var new = Self.scene([])
        new.difference = new.layers.difference(from: old.layers)
        #expect(
            new.item.json
                == #"{"session":"k3m9xw2p","state":"running","problem":null,"since":0.0,"difference":{"layers":{"desk":{"blocks":{"a":null},"order":[]}}}}"#
        )
        new.difference = new.layers.difference(from: new.layers)
        new.state = nil
        #expect(new.item.json == #"{"session":"k3m9xw2p","state":null,"problem":null,"since":0.0}"#)
    }
}
