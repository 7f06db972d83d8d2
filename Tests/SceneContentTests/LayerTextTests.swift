import SceneContent
import Testing

/// What a terminal shows of a layer.
@Suite(.timeLimit(.minutes(5)))
struct LayerTextTests {
    private static let desk = ContentLayer(
        key: "desk", title: "Desk", tabs: [.init(action: "tab0", label: "Guests", isSelected: true)],
        back: ActionBlock(name: "back", label: "Back"),
        blocks: [
            ("s", SectionBlock("Today").node), ("t", TextBlock("Two guests").node),
            ("f", FieldBlock(name: "q", label: "Search").node), ("g", FieldBlock(name: "r", label: "Room").node),
            ("a", ActionBlock(name: "find", label: "Find").node),
            ("b", ActionBlock(name: "close", label: "Close").node),
        ])

    @Test("A layer is its title, its tabs, the way back and its blocks, with an empty line between groups")
    func layer() {
        #expect(
            Self.desk.text() == """
                Desk
                ====

                * [tab0] Guests
                [back] Back

                Today
                -----
                Two guests

                Search:   (q)
                Room:   (r)

                [find] Find
                [close] Close
                """)
    }

    @Test("Of several layers the top one is shown, with the titles of those below it")
    func layers() {
        let layers = SceneLayers([Self.desk, ContentLayer(key: "sheet", title: "Sure?", blocks: [])])
        #expect(layers.text() == "Sure?\n=====\nover Desk")
        #expect(SceneLayers().text() == "")
    }
}
