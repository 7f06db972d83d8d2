import ConsolePages
import SceneContent
import SeededRandom

/// Contents of a scene that follow each other, of few keys, so that blocks stay, change, move and go.
struct RandomScene {
    private var random: SeededGenerator
    private var keys: [String] = []
    private var nodes: [String: ContentNode] = [:]
    private var hasSheet = false

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func next() -> ScenePicture {
        for _ in 0..<number(below: 4) { change() }
        if number(below: 12) == 0 { hasSheet.toggle() }
        let tabs = (0..<number(below: 3)).map { ContentTab(action: "t\($0)", label: "T\($0)", isSelected: $0 == 0) }
        let back = number(below: 2) == 0 ? nil : ActionBlock(name: "back", label: "Back")
        var layers = [
            ContentLayer(
                key: "screen", title: "Screen \(number(below: 3))", tabs: tabs, back: back,
                blocks: keys.map { ($0, nodes[$0] ?? .null) })
        ]
        if hasSheet {
            layers.append(ContentLayer(key: "sheet", title: "Sheet", blocks: keys.prefix(3).map { ($0, block()) }))
        }
        return ScenePicture(
            layers: SceneLayers(number(below: 20) == 0 ? [] : layers),
            state: number(below: 5) == 0 ? "moving" : "running",
            isLive: number(below: 5) != 0, since: Double(number(below: 2)),
            problem: number(below: 5) == 0 ? "a problem" : nil)
    }

    private mutating func change() {
        switch number(below: 5) {
        case 0, 1:
            let key = "k\(number(below: 12))"
            if nodes[key] == nil { keys.insert(key, at: number(below: keys.count + 1)) }
            nodes[key] = block()
        case 2 where !keys.isEmpty: nodes[keys.remove(at: number(below: keys.count))] = nil
        case 3: keys.shuffle(using: &random)
        default: for key in keys where number(below: 2) == 0 { nodes[key] = changed(nodes[key] ?? .null) }
        }
    }

    /// Changes a row of a block that has rows; another block is replaced by one of any type.
    private mutating func changed(_ node: ContentNode) -> ContentNode {
        guard case .table(var table) = ContentBlock(node), !table.rows.isEmpty else { return block() }
        table.rows[number(below: table.rows.count)].cells[0] = .count(number(below: 1000))
        return table.node
    }

    private mutating func block() -> ContentNode {
        let text = "text \(number(below: 5))"
        switch number(below: 8) {
        case 0: return TextBlock(text, level: level(), size: number(below: 2) == 0 ? .large : .normal).node
        case 1: return FieldBlock(name: "f\(number(below: 3))", label: text, kind: .lines, value: text).node
        case 2, 3:
            return TableBlock([.init("a"), .init("b")], rows: (0..<number(below: 6)).map { row(key: "r\($0)", text) })
                .node
        case 4:
            return ActionBlock(
                name: "a\(number(below: 3))", label: text, style: number(below: 3) == 0 ? .main : .plain
            ).node
        case 5:
            return FactsBlock((0..<4).map { .init(key: "\($0)", label: text, value: .count(number(below: 9))) }).node
        case 6:
            let rows = (0..<4).map { key in
                ListBlock.Row(key: "\(key)", title: "\(number(below: 9))", action: "go", level: level())
            }
            return ListBlock(rows).node
        default: return MeterBlock(text, share: Double(number(below: 9)) / 8).node
        }
    }

    private mutating func row(key: String, _ text: String) -> TableBlock.Row {
        TableBlock.Row(
            key: key, cells: [.count(number(below: 5)), .text(text)], action: "select", levels: [level(), level()])
    }

    private mutating func level() -> TextBlock.Level? {
        number(below: 3) == 0 ? TextBlock.Level.allCases[number(below: 4)] : nil
    }

    private mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
}
