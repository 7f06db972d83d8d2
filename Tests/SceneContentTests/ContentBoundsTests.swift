import CBOR
import SceneContent
import Testing

struct ContentBoundsTests {
    @Test("What is within its bounds stays as it is", .timeLimit(.minutes(5)))
    func within() {
        let rows = (0..<ContentBounds.rows).map { ListBlock.Row(key: "\($0)", title: "Row \($0)") }
        let layers = layers(ListBlock(rows).node, TextBlock("text").node)
        #expect(layers.bounded == layers)
    }

    @Test(
        "A block beyond a bound becomes a text that says which bound", .timeLimit(.minutes(5)),
        arguments: [
            (
                ListBlock((0...ContentBounds.rows).map { .init(key: "\($0)", title: "") }).node,
                "A list with 201 rows is not shown: it has at most 200."
            ),
            (
                TableBlock((0...ContentBounds.columns).map { .init("\($0)") }, rows: []).node,
                "A table with 33 columns is not shown: it has at most 32."
            ),
            (
                TextBlock(String(repeating: "x", count: ContentBounds.text + 1)).node,
                "A text with 16385 bytes in a text is not shown: it has at most 16384."
            ),
            (
                ChartBlock(
                    "c",
                    series: [
                        .init(key: "s", label: "", points: (0...ContentBounds.points).map { .init(Double($0), 0) })
                    ]
                ).node, "A chart with 3601 points is not shown: it has at most 3600."
            ),
        ])
    func beyond(block: ContentNode, text: String) {
        let bounded = layers(block, TextBlock("kept").node).bounded
        #expect(bounded.top?.blocks.map(\.block) == [.text(TextBlock(text, level: .error)), .text(TextBlock("kept"))])
    }

    @Test("A screen of more than a megabyte says so instead", .timeLimit(.minutes(5)))
    func tooLarge() {
        let texts = (0..<100).map { _ in TextBlock(String(repeating: "x", count: ContentBounds.text)).node }
        let bounded = SceneLayers([
            ContentLayer(key: "screen", title: "Large", blocks: texts.enumerated().map { ("\($0)", $1) })
        ]).bounded
        guard case .text(let text)? = bounded.top?.blocks.first?.block else {
            Issue.record("no text is shown")
            return
        }
        #expect(text.level == .error)
        #expect(text.text.contains("at most \(ContentBounds.bytes) are shown"))
    }

    @Test("Of more blocks than fit, the last one says how many are left out", .timeLimit(.minutes(5)))
    func manyBlocks() {
        let blocks = (0..<ContentBounds.blocks + 10).map { ("\($0)", TextBlock("\($0)").node) }
        let bounded = SceneLayers([ContentLayer(key: "screen", title: "", blocks: blocks)]).bounded
        #expect(bounded.top?.blocks.count == ContentBounds.blocks)
        #expect(
            bounded.top?.blocks.last?.block
                == .text(TextBlock("11 more blocks are not shown: a screen has at most 500", level: .error)))
    }

    @Test("Of more layers than fit, the topmost stay, because the last one takes input", .timeLimit(.minutes(5)))
    func manyLayers() {
        let layers = SceneLayers(
            (0..<ContentBounds.layers + 3).map { ContentLayer(key: "\($0)", title: "\($0)", blocks: []) })
        #expect(layers.layers.count == ContentBounds.layers)
        #expect(layers.top?.title == "18")
        #expect(layers.bounded.top?.title == "18")
    }

    private func layers(_ blocks: ContentNode...) -> SceneLayers {
        SceneLayers([
            ContentLayer(key: "screen", title: "Screen", blocks: blocks.enumerated().map { ("block \($0)", $1) })
        ])
    }
}
