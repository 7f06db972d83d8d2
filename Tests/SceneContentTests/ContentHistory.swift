import SceneContent
import SeededRandom

/// Makes random contents that differ from each other as those of a scene do.
struct ContentHistory {
    private var random: SeededGenerator
    private(set) var layers: SceneLayers
    private var state: [String: [String: any TypedBlock]] = ["screen a": [:]]
    private var order = ["screen a"]
    private var orders: [String: [String]] = ["screen a": []]
    private var titles: [String: String] = [:]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        layers = SceneLayers()
        build()
    }

    private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    /// Changes some of what is shown.
    mutating func step() {
        for _ in 0...number(3) { change() }
        build()
    }

    private mutating func build() {
        layers = SceneLayers(
            order.map { key in
                ContentLayer(
                    key: key, title: titles[key] ?? "",
                    blocks: (orders[key] ?? []).compactMap { name in
                        state[key]?[name].map { (name, $0.node) }
                    })
            })
    }

    private mutating func change() {
        switch number(12) {
        case 0 where order.count < 3:
            let key = "sheet.\(order.count) \(number(3))"
            if !order.contains(key) {
                order.append(key)
                state[key] = [:]
                orders[key] = []
            }
        case 1 where order.count > 1:
            let key = order.removeLast()
            state[key] = nil
            orders[key] = nil
            titles[key] = nil
        case 2:
            titles[order[number(order.count)]] = number(3) == 0 ? nil : "Title \(number(4))"
        case 3:
            let key = order[number(order.count)]
            if !(orders[key] ?? []).isEmpty {
                let name = orders[key]!.remove(at: number(orders[key]!.count))
                state[key]![name] = nil
            }
        case 4:
            orders[order[number(order.count)]]?.shuffle(using: &random)
        default:
            let key = order[number(order.count)]
            let name = "block \(number(6))"
            if state[key]![name] == nil { orders[key]!.insert(name, at: number(orders[key]!.count + 1)) }
            state[key]![name] = block(after: state[key]![name])
        }
    }

    private mutating func block(after old: (any TypedBlock)?) -> any TypedBlock {
        if var chart = old as? ChartBlock, number(4) > 0 {
            for index in chart.series.indices {
                let next = (chart.series[index].points.last?.x ?? 0) + Double(number(2))
                chart.series[index].points.append(.init(next, Double(number(3))))
                if number(3) == 0 { chart.series[index].points.removeFirst(min(2, chart.series[index].points.count)) }
            }
            if number(5) == 0, !chart.series.isEmpty { chart.series.removeLast() }
            return chart
        }
        if var table = old as? TableBlock, number(4) > 0 {
            table.rows.shuffle(using: &random)
            if number(2) == 0, !table.rows.isEmpty { table.rows.removeLast() }
            if !table.rows.isEmpty { table.rows[0].cells[0] = .count(number(9)) }
            let key = "row \(number(20))"
            if !table.rows.contains(where: { $0.key == key }) { table.rows.append(.init(key: key, cells: ["new"])) }
            return table
        }
        switch number(6) {
        case 0: return TextBlock("Text \(number(5))", level: number(2) == 0 ? .warning : nil)
        case 1: return MeterBlock("Meter", share: number(4) == 0 ? nil : Double(number(10)) / 10)
        case 2:
            return TableBlock(
                [.init("Name")],
                rows: (0..<number(5)).map { .init(key: "row \($0)", cells: [.text("cell \(number(3))")]) })
        case 3:
            let points = (0..<number(6)).map { ChartBlock.Point(Double($0), Double(number(3))) }
            return ChartBlock(
                "Chart", series: (0...number(2)).map { .init(key: "s\($0)", label: "Series", points: points) })
        case 4: return FieldBlock(name: "name", label: "Name", value: "\(number(3))")
        default: return FactsBlock([.init(key: "a", label: "a", value: .percent(Double(number(5)) / 5))])
        }
    }
}
