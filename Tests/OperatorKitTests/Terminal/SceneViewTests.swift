import Bus
import OperatorKit
import SceneContent
import Testing

/// What a terminal shows of a scene, and which of its lines.
@Suite(.timeLimit(.minutes(5)))
struct SceneViewTests {
    private static func scene(_ layers: SceneLayers, state: RemoteSession.State? = .running) -> WatchedScene {
        var scene = WatchedScene(session: "k3m9xw2p")
        (scene.layers, scene.state) = (layers, state)
        return scene
    }

    private static func view(_ layers: SceneLayers, columns: Int = 40, rows: Int = 20) -> SceneView {
        var view = SceneView(session: "k3m9xw2p", size: .init(columns: columns, rows: rows))
        view.show(scene(layers))
        return view
    }

    private static func rows(_ screen: TerminalScreen) -> [String] { (0..<screen.size.rows).map(screen.text) }

    @Test("A scene is its title, its blocks with what can be done, and a line about its state")
    func picture() {
        let view = Self.view(SceneFormTests.desk, columns: 70, rows: 16)
        #expect(
            Self.rows(view.screen)
                == [
                    "  desk", "  ====", "", "> Search: old", "  PIN: ____", "", "  - Mei", "  - Ada", "  - Eve", "",
                    "  [ Find ]",
                    "  [ Close ]", "", "", "",
                    " k3m9xw2p  running              Tab: next  Enter: Find  Ctrl-C: leave",
                ])
        #expect(view.screen.caret == .init(row: 3, column: 13))
        #expect(view.screen.style(at: .init(row: 3, column: 3)).isReversed)
    }

    @Test("Before the first picture the screen says so, and any size is drawn")
    func small() {
        for (columns, rows) in [(1, 1), (2, 2), (3, 1), (10, 3)] {
            var view = SceneView(session: "k3m9xw2p", size: .init(columns: columns, rows: rows))
            #expect(view.screen.size.rows == rows)
            view.show(Self.scene(SceneFormTests.desk))
            _ = view.handle(.tab)
            #expect(view.screen.size.columns == columns)
        }
        let view = SceneView(session: "k3m9xw2p", size: .init(columns: 40, rows: 3))
        #expect(view.screen.text(row: 0) == "  The scene shows nothing yet.")
    }

    @Test("A secret is dots, and its letters are nowhere on the screen")
    func secret() {
        var view = Self.view(SceneFormTests.desk)
        for key in [TerminalKey.tab, .text("4"), .text("7")] { _ = view.handle(key) }
        #expect(view.screen.text(row: 4) == "> PIN: ••")
        #expect(!Self.rows(view.screen).joined().contains("47"))
    }

    @Test(
        "The caret is behind the characters before it, wide ones and marks included, also where the text goes on below")
    func caret() {
        let layers = SceneFormTests.layers(("a", FieldBlock(name: "a", label: "A").node))
        var view = Self.view(layers, columns: 12)
        for text in ["東", "e", "\u{301}", "x"] { _ = view.handle(.text(text)) }
        #expect(view.screen.text(row: 3) == "> A: 東e\u{301}x")
        #expect(view.screen.caret == .init(row: 3, column: 9))
        _ = view.handle(.left)
        #expect(view.screen.caret == .init(row: 3, column: 8))
        _ = view.handle(.end)
        for text in ["1", "2", "3", "4"] { _ = view.handle(.text(text)) }
        #expect(view.screen.text(row: 3) == "> A: 東e\u{301}x123")
        #expect(view.screen.text(row: 4) == "    4")
        #expect(view.screen.caret == .init(row: 4, column: 5))
    }

    @Test("The kinds of fields look like what they take")
    func kinds() {
        let view = Self.view(
            SceneFormTests.layers(
                ("a", FieldBlock(name: "a", label: "On", kind: .toggle, value: "true").node),
                (
                    "b",
                    FieldBlock(
                        name: "b", label: "Size", kind: .choice, value: "s", choices: [.init("s", label: "Small")]
                    ).node
                ),
                ("c", FieldBlock(name: "c", label: "User", error: "taken", isRequired: true).node)))
        #expect(
            Self.rows(view.screen)[3...6] == ["> On: [x]", "  Size: < Small >", "  User *: ____", "    error: taken"])
    }

    private static let long = SceneFormTests.layers(
        ("rows", ListBlock((0..<50).map { .init(key: "\($0)", title: "Row \($0)", action: "open:\($0)") }).node))

    @Test("The lines follow the focus, and Page Down shows others without moving it")
    func scrolling() {
        var view = Self.view(Self.long, rows: 11)
        #expect(view.screen.text(row: 9) == "  - Row 6")
        for _ in 0..<7 { _ = view.handle(.down) }
        #expect(view.screen.text(row: 9) == "> - Row 7")
        _ = view.handle(.pageDown)
        #expect(view.screen.text(row: 9) == "  - Row 16")
        #expect(view.form.focus == .row(block: "rows", key: "7"))
        _ = view.handle(.down)
        #expect(view.screen.text(row: 1) == "> - Row 8")
        _ = view.handle(.end)
        #expect(view.screen.text(row: 9) == "  - Row 49")
        _ = view.handle(.home)
        #expect(view.screen.text(row: 0) == "  desk")
        _ = view.handle(.pageUp)
        #expect(view.screen.text(row: 0) == "  desk")
    }

    @Test("A block that has changed, or a width, is drawn anew, also where its key was that of another block")
    func redrawn() {
        func layers(_ text: String) -> SceneLayers { SceneFormTests.layers(("a", TextBlock(text).node)) }
        var view = Self.view(layers("one two"))
        #expect(view.screen.text(row: 3) == "  one two")
        view.show(Self.scene(layers("three")))
        #expect(view.screen.text(row: 3) == "  three")
        view.show(Self.scene(layers("one two three")))
        view.resize(to: .init(columns: 12, rows: 20))
        #expect(Self.rows(view.screen)[3...4] == ["  one two", "  three"])
    }

    @Test("A smaller terminal still shows the focus")
    func resize() {
        var view = Self.view(Self.long, rows: 40)
        for _ in 0..<20 { _ = view.handle(.down) }
        view.resize(to: .init(columns: 20, rows: 5))
        #expect(Self.rows(view.screen).contains("> - Row 20"))
    }

    @Test("While the scene does not run its last picture is dimmed, and the last line says since when and why")
    func stale() {
        var view = Self.view(SceneFormTests.desk, columns: 80)
        #expect(!view.screen.style(at: .init(row: 0, column: 2)).isDim)
        var scene = Self.scene(SceneFormTests.desk, state: .waiting)
        scene.since = 1_780_000_000
        scene.problem = "no worker"
        view.show(scene)
        #expect(view.screen.style(at: .init(row: 0, column: 2)).isDim)
        #expect(view.screen.text(row: 19) == " k3m9xw2p  waiting since 2026-05-28 20:26:40 UTC: no worker")
        scene.state = nil
        view.show(scene)
        #expect(view.screen.text(row: 19).hasPrefix(" k3m9xw2p  the host is away since"))
    }

    @Test("Who else watches the scene is on the last line, behind its state")
    func others() {
        var view = Self.view(SceneFormTests.desk, columns: 80)
        var scene = Self.scene(SceneFormTests.desk)
        scene.company = SceneWatchers([SceneWatcher(surface: "browser", name: "A\u{1B}[2J")])
        view.show(scene)
        #expect(view.screen.text(row: 19).hasPrefix(" k3m9xw2p  running  also here: A\u{FFFD}[2J "))
        // The names give way to what the keys do.
        scene.company = SceneWatchers([SceneWatcher(surface: "browser", name: "Ada Lovelace")], more: 20)
        view.show(scene)
        #expect(view.screen.text(row: 19).hasPrefix(" k3m9xw2p  running  21 also here "))
        #expect(view.screen.text(row: 19).hasSuffix("Ctrl-C: leave"))
        view.resize(to: .init(columns: 40, rows: 20))
        #expect(view.screen.text(row: 19).hasPrefix(" k3m9xw2p  running  also here: Ada"))
        scene.company = SceneWatchers()
        view.show(scene)
        #expect(!view.screen.text(row: 19).contains("also here"))
    }

    @Test("Questions and errors are on the last line, whatever they contain")
    func status() {
        var view = Self.view(SceneFormTests.desk)
        _ = view.handle(.backTab)
        _ = view.handle(.enter)
        #expect(view.screen.text(row: 19) == " Close it for all? (y/n)")
        guard case .perform(let submission)? = view.handle(.text("y")) else {
            Issue.record("nothing was performed")
            return
        }
        #expect(view.screen.text(row: 19) == " 'Close' is on its way…")
        view.finish(submission, error: "no\u{1B}[2J\nway")
        #expect(view.screen.text(row: 19) == " no\u{FFFD}[2J\u{FFFD}way")
        _ = view.handle(.up)
        #expect(view.screen.text(row: 19).hasPrefix(" k3m9xw2p  running"))
    }

    @Test("A focused row in a table keeps its place in the picture when other rows come before it")
    func growing() {
        func layers(_ count: Int) -> SceneLayers {
            let rows = (0..<count).reversed().map { TableBlock.Row(key: "\($0)", cells: ["Row \($0)"], action: "open") }
            return SceneFormTests.layers(("rows", TableBlock([.init("Name")], rows: rows).node))
        }
        var view = Self.view(layers(2), rows: 8)
        _ = view.handle(.down)
        #expect(view.form.focus == .row(block: "rows", key: "0"))
        view.show(Self.scene(layers(60)))
        #expect(view.form.focus == .row(block: "rows", key: "0"))
        #expect(Self.rows(view.screen).contains("> Row 0"))
    }
}
