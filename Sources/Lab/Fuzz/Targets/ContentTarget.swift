import CBOR
import SceneContent

extension FuzzTarget {
    /// What a scene shows, over a history of changes: from each picture, the difference to each later one leads to it. A
    /// difference for another picture is refused, or gives something that can be read.
    static let content = FuzzTarget("content") { input, _ in
        var script = Script(input)
        var pictures = [SceneLayers()]
        while !script.isAtEnd, pictures.count < 6 {
            let picture = ContentPlay.picture(after: pictures[pictures.count - 1], &script)
            for earlier in pictures {
                let difference = picture.difference(from: earlier)
                let carried = try CBORRaw(encoding: difference).decode(as: ContentDifference.self)
                let result = try earlier.applying(carried)
                try require(result == picture, "\(difference) leads from \(earlier) to \(result), not to \(picture)")
                for other in pictures where other != earlier {
                    do { read(try other.applying(carried)) } catch is DifferenceDoesNotFit {}
                }
            }
            pictures.append(picture)
            try require(picture.isWellFormed, "\(picture) is not well formed")
        }
        _ = ImageData(input)
        // What another process may send: any item.
        guard let item = try? CBORValue(decoding: input) else { return }
        let node = ContentNode(item)
        read(SceneLayers(node: node))
        do {
            read(try pictures[pictures.count - 1].applying(ContentDifference(node: node)))
        } catch is DifferenceDoesNotFit {}
    }

    /// Reads all that surfaces read.
    private static func read(_ layers: SceneLayers) {
        for layer in layers.bounded.layers {
            _ = (layer.title, layer.tabs, layer.back, layer.fields)
            for case (_, let block) in layer.blocks {
                switch block {
                case .chart(let chart): _ = chart.text
                case .meter(let meter): _ = meter.text
                case .facts(let facts): _ = facts.facts.map(\.value.text)
                case .table(let table): _ = table.rows.map { $0.cells.map(\.text) }
                default: break
                }
            }
        }
    }
}

/// Makes pictures from a script, of few keys and values, so that much is equal and much changes.
private enum ContentPlay {
    /// Returns a picture that has some of the layers and blocks of an earlier one.
    static func picture(after earlier: SceneLayers, _ script: inout Script) -> SceneLayers {
        let before = Dictionary(earlier.layers.map { ($0.key, $0) }) { $1 }
        return SceneLayers(
            keys(&script, of: 3).map { key in
                let blocks = before[key]?.node["blocks"]?.map ?? [:]
                return ContentLayer(
                    key: key, title: script.byte() % 3 == 0 ? "title" : "",
                    blocks: keys(&script, of: 4).map { name in (name, block(after: blocks[name], &script)) })
            })
    }

    /// Some keys in some order, each once.
    private static func keys(_ script: inout Script, of count: Int) -> [String] {
        var chosen: [String] = []
        for _ in 0..<script.byte() % (count + 1) {
            let key = "\(script.byte() % count)"
            if !chosen.contains(key) { chosen.append(key) }
        }
        return chosen
    }

    private static func block(after earlier: ContentNode?, _ script: inout Script) -> ContentNode {
        let choice = script.byte()
        if let earlier, choice % 4 == 0 { return earlier }
        var fields: [String: ContentNode] = ["type": .text(["chart", "table", "other"][script.byte() % 3])]
        if choice & 4 != 0 { fields["value"] = .number(Double(script.byte() % 3)) }
        if choice & 8 != 0 { fields["order"] = .list(keys(&script, of: 3).map { .text($0) }) }
        if choice & 16 != 0 { fields["rows"] = rows(&script) }
        if choice & 32 != 0 { fields["series"] = series(after: earlier?["series"], &script) }
        return .map(fields)
    }

    private static func rows(_ script: inout Script) -> ContentNode {
        if script.byte() % 8 == 0 { return .list([.text("no map")]) }
        return .map(
            Dictionary(keys(&script, of: 3).map { ($0, .map(["cells": .number(Double(script.byte() % 3))])) }) { $1 })
    }

    private static func series(after earlier: ContentNode?, _ script: inout Script) -> ContentNode {
        .map(
            Dictionary(
                keys(&script, of: 2).map { key in
                    var points = (earlier?[key]?["points"]?.list ?? []).dropFirst(script.byte() % 3)
                    for _ in 0..<script.byte() % 4 { points.append(.number(Double(script.byte() % 2))) }
                    let label = ContentNode.text(script.byte() % 2 == 0 ? "a" : "b")
                    return (key, .map(["points": .list(Array(points)), "label": label]))
                }
            ) { $1 })
    }
}
