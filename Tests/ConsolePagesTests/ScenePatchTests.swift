import SceneContent
import Testing

@testable import ConsolePages

@Suite(.timeLimit(.minutes(5)))
struct ScenePatchTests {
    private func picture(_ blocks: [(key: String, node: ContentNode)], key: String = "screen") -> ScenePicture {
        let layer = ContentLayer(key: key, title: "Desk", blocks: blocks)
        return ScenePicture(layers: SceneLayers([layer]), state: "running", isLive: true)
    }

    private func operations(
        from old: ScenePicture?, to new: ScenePicture, access: SceneAccess = .use
    ) -> [PatchOperation] {
        ScenePatch(address: .scene("s"), from: old, to: new, access: access).operations
    }

    @Test(
        "a page that was changed is the page that is drawn anew", arguments: 0..<4 as Range<UInt64>,
        SceneAccess.allCases)
    func changedIsDrawnAnew(seed: UInt64, access: SceneAccess) throws {
        var scenes = RandomScene(seed: seed)
        var old = scenes.next()
        var page = PageModel(old, access: access)
        for step in 0..<150 {
            let new = scenes.next()
            let drawnAnew = PageModel(new, access: access)
            let patch = ScenePatch(address: .scene("s"), from: old, to: new, access: access)
            try page.apply(patch, drawnAnew: drawnAnew)
            try #require(page == drawnAnew, "seed \(seed), step \(step)")
            old = new
        }
    }

    @Test("the same picture changes nothing")
    func nothing() {
        let same = picture([("a", TextBlock("Hello").node)])
        #expect(ScenePatch(address: .scene("s"), from: same, to: same, access: .use).isEmpty)
        #expect(ScenePatch(address: .scene("s"), from: same, to: same, access: .use).json == "[]")
    }

    @Test("a page of which nothing is known is drawn anew")
    func unknown() {
        let new = picture([("a", TextBlock("Hello").node)])
        let names = operations(from: nil, to: new).map { "\($0)".prefix { $0 != "(" } }
        #expect(names == ["state", "title", "main"])
    }

    @Test("of a large table, the row that has changed is sent")
    func row() throws {
        func table(_ changed: Int) -> ScenePicture {
            let rows = (0..<200).map { TableBlock.Row(key: "r\($0)", cells: [.count($0 == 7 ? changed : $0)]) }
            return picture([("t", TableBlock([.init("a")], rows: rows).node)])
        }
        let changes = operations(from: table(1), to: table(2))
        guard case .row(_, _, let key, let markup) = try #require(changes.first), changes.count == 1 else {
            Issue.record("not one row: \(changes)")
            return
        }
        #expect(key == PageKey("r7"))
        #expect(markup.hasPrefix("<tr data-key=\"r7\">"))
    }

    @Test("who may only see the scene gets no changes of its actions")
    func actionsOfViewers() {
        let old = picture([("a", ActionBlock(name: "go", label: "Go").node)])
        let new = picture([("a", ActionBlock(name: "go", label: "Go on").node)])
        #expect(operations(from: old, to: new, access: .view).isEmpty)
        #expect(!operations(from: old, to: new, access: .use).isEmpty)
    }

    @Test("another screen replaces the one before, whatever its blocks are")
    func anotherScreen() {
        let field = ("f", FieldBlock(name: "name", label: "Name").node)
        let changes = operations(from: picture([field]), to: picture([field], key: "other"))
        guard case .main? = changes.last else {
            Issue.record("not drawn anew: \(changes)")
            return
        }
    }

    @Test("an event is three lines, whatever the texts have")
    func event() {
        let patch = ScenePatch(
            address: .scene("s"), from: nil, to: picture([("a", TextBlock("one\ntwo\r\n\"\u{2028}\\").node)]),
            access: .use)
        let lines = patch.event(revision: "4.17").split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 5 && lines[3].isEmpty && lines[4].isEmpty)
        #expect(lines[0] == "event: patch" && lines[1] == "id: 4.17")
        #expect(PageEvent.end("over \"now\"\n") == "event: end\ndata: \"over \\\"now\\\"\\n\"\n\n")
        #expect(PageEvent.leave("over") == "event: leave\ndata: \"over\"\n\n")
    }
}
