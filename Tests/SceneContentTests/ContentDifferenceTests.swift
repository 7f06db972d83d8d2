import CBOR
import SceneContent
import Testing

struct ContentDifferenceTests {
    @Test(
        "A content with a difference is the later content, however many changes lie in between",
        .timeLimit(.minutes(5)), arguments: 0..<100 as Range<UInt64>)
    func histories(seed: UInt64) throws {
        var history = ContentHistory(seed: seed)
        var contents = [history.layers]
        for _ in 0..<20 {
            history.step()
            for earlier in contents {
                let difference = history.layers.difference(from: earlier)
                let carried = try CBORRaw(encoding: difference).decode(as: ContentDifference.self)
                #expect(try earlier.applying(carried) == history.layers)
            }
            #expect(history.layers.isWellFormed)
            #expect(history.layers.difference(from: history.layers).isEmpty)
            contents.append(history.layers)
        }
    }

    @Test("A point at the end of a long series costs a point", .timeLimit(.minutes(5)))
    func growingChart() throws {
        let points = (0..<3600).map { ChartBlock.Point(Double($0), Double($0 % 7)) }
        func content(_ points: [ChartBlock.Point]) -> SceneLayers {
            layers(ChartBlock("CPU", series: [.init(key: "cpu", label: "CPU", points: points)]))
        }
        let before = content(points)
        let after = content(Array(points.dropFirst()) + [.init(3600, 2)])
        let difference = after.difference(from: before)
        #expect(try CBORRaw(encoding: difference).bytes.count < 120)
        #expect(try before.applying(difference) == after)
    }

    @Test("A cell costs its row", .timeLimit(.minutes(5)))
    func cell() throws {
        func content(_ value: Double) -> SceneLayers {
            layers(
                TableBlock(
                    [.init("Name"), .init("CPU")],
                    rows: (0..<200).map {
                        .init(key: "\($0)", cells: [.text("process \($0)"), .percent($0 == 7 ? value : 0)])
                    }))
        }
        let before = content(0.1)
        let after = content(0.2)
        let difference = after.difference(from: before)
        #expect(try CBORRaw(encoding: difference).bytes.count < 120)
        #expect(try before.applying(difference) == after)
    }

    @Test("A difference for another content is refused", .timeLimit(.minutes(5)))
    func doesNotFit() {
        let difference = layers(TextBlock("two")).difference(from: layers(TextBlock("one")))
        let error = #expect(throws: DifferenceDoesNotFit.self) { try SceneLayers().applying(difference) }
        #expect(error?.part == "screen")
    }

    @Test("A field that becomes a list where there were rows is replaced", .timeLimit(.minutes(5)))
    func otherForm() throws {
        func content(_ rows: ContentNode) -> SceneLayers {
            SceneLayers([
                ContentLayer(
                    key: "screen", title: "", blocks: [("b", .map(["type": "new", "text": "x", "rows": rows]))])
            ])
        }
        let map = content(.map(["a": "1"]))
        let list = content(.list(["1"]))
        #expect(try map.applying(list.difference(from: map)) == list)
        #expect(try list.applying(map.difference(from: list)) == map)
    }

    @Test(
        "What has the wrong form is not taken for a content", .timeLimit(.minutes(5)),
        arguments: [
            .null, .map([:]), .map(["layers": .list([])]), .map(["layers": .map(["a": .null])]),
            .map(["layers": .map(["a": .map(["whole": true, "blocks": .map([:])])])]),
            .map(["layers": .map(["a": .map(["blocks": .map(["b": .map([:])])])])]),
            .map([
                "layers": .map([
                    "a": .map(["blocks": .map(["b": .map(["type": "chart", "series": .map(["s": .map([:])])])])])
                ])
            ]),
            .map(["layers": .map(["a": .map(["title": .null, "blocks": .map([:])])])]),
            .map(["layers": .map(["a": .map(["n": .number(.nan), "blocks": .map([:])])])]),
        ] as [ContentNode])
    func wrongForm(node: ContentNode) {
        #expect(!SceneLayers(node: node).isWellFormed)
        // It is drawn as far as it can be.
        _ = SceneLayers(node: node).layers.map(\.blocks)
    }

    private func layers(_ block: some TypedBlock) -> SceneLayers {
        SceneLayers([ContentLayer(key: "screen", title: "Screen", blocks: [("block", block.node)])])
    }
}
